/** The settings of a topic on Kafka, whether we create it or an operator does (Strimzi). */

import type { LogTopic } from '../log.ts';
import { kafkaLimits } from './kafka-limits.ts';

/** Required settings of a `state` topic; other settings would lose records that no snapshot covers. */
export const stateSettings = { 'retention.ms': '-1', 'retention.bytes': '-1', 'cleanup.policy': 'delete' } as const;

/**
 * Settings of `state` topics, which are trimmed: brokers delete only whole segments, and never the one they append
 * to.
 */
export const trimmedSettings = {
  'segment.bytes': String(kafkaLimits.trimmedSegmentBytes),
  'segment.ms': String(kafkaLimits.trimmedSegmentMs),
} as const;

/** Default number of replicas. */
export const replicasDefault = 3;

/** Settings by Kafka's names, with values as text. */
export function settingsOf({ retention, settings }: LogTopic, replicas: number): Readonly<Record<string, string>> {
  return {
    'max.message.bytes': String(kafkaLimits.messageBytesMax),
    // One broker may be away, and acked records are on the disks of two others.
    ...(replicas >= 3 ? { 'min.insync.replicas': '2' } : {}),
    ...(retention === 'state' ? trimmedSettings : {}),
    ...settings,
    ...(retention === 'state' ? stateSettings : {}),
  };
}
