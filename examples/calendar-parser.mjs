/** Reads iCalendar files (RFC 5545): the summaries of their events as text, their URLs as links, their dates as a field. */
import { definePlugin } from 'crawlstream/plugin';

export default definePlugin({
  name: 'calendar-parser',
  version: '1.0.0',
  parse: {
    'text/calendar'({ body }) {
      // A line that begins with a space goes on with the one before it (RFC 5545 §3.1).
      const lines = new TextDecoder()
        .decode(body)
        .replace(/\r?\n[ \t]/g, '')
        .split(/\r?\n/);
      const all = (name) =>
        lines
          .filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))
          .map((line) => line.slice(line.indexOf(':') + 1));
      const [title = ''] = all('X-WR-CALNAME');
      return { title, text: all('SUMMARY').join('\n'), links: all('URL'), fields: { starts: all('DTSTART') } };
    },
  },
});
