/** The log's contract, on a real broker. */
import { after, before, describe } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { foldLog } from '../../services/runtime/log/folded/folded-log.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { logContract } from './log-contract.ts';

const skip = (await skipReason()) ?? false;

describe('the log on Kafka', { skip }, () => {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker();
  });
  after(() => broker.stop());

  logContract('kafka', { dense: true, trim: true, atomic: false }, async () => {
    const open = () => openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'contract' });
    let log = await open();
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await open();
        return log;
      },
      close: () => log.close(),
    };
  });

  logContract('kafka, folded', { dense: true, trim: false, atomic: false }, async () => {
    const open = async () =>
      foldLog(await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'contract' }), { isExact: false });
    let log = await open();
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await open();
        return log;
      },
      close: () => log.close(),
    };
  });
});
