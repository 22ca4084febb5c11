/**
 * Text for programs: feeds, data, styles. Their links may be worth following, but their words are not meant to be read.
 *
 * `mediaType`: without parameters, lower case.
 */
export function isForMachines(mediaType: string): boolean {
  return mediaType !== 'application/xhtml+xml' && machineTypes.test(mediaType);
}

const machineTypes = /^(?:application|text)\/(?:(?:[^/]{1,60}\+)?(?:xml|json)|css|javascript|ecmascript|csv|vtt)$/;
