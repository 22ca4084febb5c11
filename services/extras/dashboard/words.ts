/** The words of a crawl, for the page too: the service gives the page that module. */
export * from '../../runtime/words.ts';
