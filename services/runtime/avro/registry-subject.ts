/**
 * The subject of a schema in a registry, by the strategies of Confluent's clients. Readers use ids, so they can read
 * records of every strategy; the processes of one crawl should use the same one.
 */
export const subjectStrategies = ['topic', 'record', 'topic-record'] as const;
export type SubjectStrategy = (typeof subjectStrategies)[number];

/** `subject`: by topic, as in `news.pages-value`. */
export function registrySubject(strategy: SubjectStrategy, subject: string, schema: object): string {
  if (strategy === 'topic') return subject;
  const { namespace, name = '' } = schema as { readonly namespace?: string; readonly name?: string };
  const record = namespace === undefined ? name : `${namespace}.${name}`;
  return strategy === 'record' ? record : `${subject.replace(/-value$/, '')}-${record}`;
}
