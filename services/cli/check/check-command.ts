/** `crawlstream check …`: how the product reads a URL, a robots.txt, a page or a list. None of them needs a crawl. */
import type { Command } from 'commander';
import { addCheckFilter } from './filter.ts';
import { addCheckList } from './list.ts';
import { addCheckPage } from './page.ts';
import { addCheckRobots } from './robots.ts';
import { addCheckScore } from './score.ts';
import { addCheckUrl } from './url.ts';

export function addCheckCommand(program: Command): void {
  const check = program.command('check').description('try normalisation, filters, robots.txt, pages and scores');
  addCheckUrl(check);
  addCheckFilter(check);
  addCheckRobots(check);
  addCheckPage(check);
  addCheckScore(check);
  addCheckList(check);
}
