/**
 * The media type of a response, from all its Content-Type fields (Fetch standard, "extract a MIME type").
 *
 * All fields form one list, split at commas outside quotes. The last member counts that is a media type, other than the
 * type that means any. If the member before it has the same type, and the last has no charset, the earlier charset applies.
 */

const sound = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+[ \t]*(?:;[^,]*)?$/;
const media = /^[ \t\r\n]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t\r\n]*(?:;|$)/;
const charset = /;[ \t\r\n]*charset=([ \t]*"[^"]*"|[^;]*)/i;
/** MIME Sniffing standard §7: these mean that the type is unknown. */
const unknown: ReadonlySet<string> = new Set(['unknown/unknown', 'application/unknown', '*/*']);

/** The member that counts, with its parameters. Empty if none counts; the type is then sniffed from the bytes. */
export function extractedType(values: readonly string[]): string {
  const [only = ''] = values;
  // Nearly every response has one field with one type.
  if (values.length < 2 && sound.test(only)) return unknown.has(essenceOf(only)) ? '' : only;
  let found = '';
  let essence = '';
  let carried = '';
  for (const member of membersOf(values.join(','))) {
    const type = essenceOf(member);
    if (type === '' || type === '*/*') continue;
    if (type !== essence) carried = '';
    essence = type;
    const own = charset.exec(member)?.[1]?.trim() ?? '';
    found = own === '' && carried !== '' ? `${type};charset=${carried}` : member.trim();
    if (own !== '') carried = own;
  }
  return unknown.has(essence) ? '' : found;
}

/** Type and subtype, in lower case. Empty: not a media type. */
function essenceOf(member: string): string {
  return media.exec(member)?.[1]?.toLowerCase() ?? '';
}

function membersOf(list: string): string[] {
  const members: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= list.length; at++) {
    const char = list[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (char === '\\' && isQuoted) at++;
    else if (at === list.length || (char === ',' && !isQuoted)) {
      members.push(list.slice(start, at));
      start = at + 1;
    }
  }
  if (start <= list.length && isQuoted) members.push(list.slice(start));
  return members;
}
