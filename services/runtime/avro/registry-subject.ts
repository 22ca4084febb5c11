/**
 * Under which name a registry has a schema, by the strategies that Confluent's clients have. Readers go by ids, so that
 * whatever a crawl's writers choose can be read; processes of one crawl should choose alike.
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
