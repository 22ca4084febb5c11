/** Page content in events. page: its whole record. url: its URL, status, title and hash. */
export const contents = ['page', 'url'] as const;
export type Content = (typeof contents)[number];
