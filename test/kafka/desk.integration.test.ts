import { join } from 'node:path';
import { test } from 'node:test';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { desksBesideCrawls } from '../services/extras/desk/running-desk.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

test('orders of the webmaster page reach a crawl on Kafka within seconds', {
  skip: (await skipReason()) ?? false,
  timeout: 600_000,
}, async (t) => {
  const broker = await startBroker();
  t.after(() => broker.stop());
  const place = ['--brokers', broker.brokers, '--crawl', 'desked', '--data', join(temporaryFolder(), 'data')];
  await desksBesideCrawls(t, place);
});
