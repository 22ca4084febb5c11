/** `crawlstream check …`: what the product makes of a URL, a robots.txt, a page or a list. None needs a crawl. */
import type { Command } from 'commander';
import { addCheckFilter } from './check-filter.ts';
import { addCheckList } from './check-list.ts';
import { addCheckPage } from './check-page.ts';
import { addCheckRobots } from './check-robots.ts';
import { addCheckScore } from './check-score.ts';
import { addCheckUrl } from './check-url.ts';

export function addCheckCommand(program: Command): void {
  const check = program.command('check').description('try normalisation, filters, robots.txt, pages and scores');
  addCheckUrl(check);
  addCheckFilter(check);
  addCheckRobots(check);
  addCheckPage(check);
  addCheckScore(check);
  addCheckList(check);
}
