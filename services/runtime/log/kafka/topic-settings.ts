/** The settings of a topic on Kafka, whether we create it or an operator does (Strimzi). */

import type { LogTopic } from '../log.ts';
import { kafkaLimits } from './kafka-limits.ts';

/** What a `state` topic must have; anything else would lose records that no snapshot covers. */
export const stateSettings = { 'retention.ms': '-1', 'retention.bytes': '-1', 'cleanup.policy': 'delete' } as const;

/** Of `state` topics, which are trimmed: brokers delete whole segments alone, and never the one they append to. */
export const trimmedSettings = {
  'segment.bytes': String(kafkaLimits.trimmedSegmentBytes),
  'segment.ms': String(kafkaLimits.trimmedSegmentMs),
} as const;

/** Default number of replicas. */
export const replicasDefault = 3;

/** By Kafka's names of them, values as text. */
export function settingsOf({ retention, settings }: LogTopic, replicas: number): Readonly<Record<string, string>> {
  return {
    'max.message.bytes': String(kafkaLimits.messageBytesMax),
    // One broker may be away, and what is acked is on two others' disks.
    ...(replicas >= 3 ? { 'min.insync.replicas': '2' } : {}),
    ...(retention === 'state' ? trimmedSettings : {}),
    ...settings,
    ...(retention === 'state' ? stateSettings : {}),
  };
}
