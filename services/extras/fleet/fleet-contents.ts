/** Content of page events. page: the whole record. url: URL, status, title and hash. */
export const contents = ['page', 'url'] as const;
export type Content = (typeof contents)[number];
