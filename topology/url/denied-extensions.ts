/**
 * File-name extensions of formats without links; the crawler does not fetch them by default. Lower-case, without dot.
 *
 * The list denies rather than allows, because servers serve HTML under any extension, or none. `com`, `net` and other
 * endings of host names are absent, because paths often end in one (`/whois/example.com`).
 */
export const deniedExtensions: readonly string[] = [
  // Images and fonts.
  ...['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'gif', 'webp', 'avif', 'heic', 'heif', 'bmp', 'ico', 'svg', 'svgz', 'tif'],
  ...['tiff', 'psd', 'ai', 'eps', 'raw', 'cr2', 'nef', 'dng', 'jp2', 'jxl', 'woff', 'woff2', 'ttf', 'otf', 'eot'],
  // Sound and film.
  ...['mp3', 'm4a', 'aac', 'ogg', 'oga', 'opus', 'wav', 'flac', 'wma', 'mid', 'midi', 'aif', 'aiff', 'ra', 'm3u'],
  ...['m3u8', 'pls', 'mp4', 'm4v', 'mov', 'qt', 'avi', 'wmv', 'flv', 'f4v', 'webm', 'mkv', 'mpg', 'mpeg', 'mpe'],
  ...['3gp', '3g2', 'ogv', 'asf', 'swf', 'vob', 'mpd'],
  // Archives, packages and disk images.
  ...[
    'zip',
    'gz',
    'tgz',
    'bz2',
    'tbz',
    'tbz2',
    'xz',
    'txz',
    'lz',
    'lzma',
    'zst',
    '7z',
    'rar',
    'tar',
    'z',
    'cab',
    'arj',
  ],
  ...['jar', 'war', 'ear', 'apk', 'ipa', 'deb', 'rpm', 'dmg', 'pkg', 'msi', 'msix', 'exe', 'dll', 'bin', 'iso', 'img'],
  ...['vhd', 'vmdk', 'ova', 'crx', 'xpi', 'whl', 'nupkg', 'snap', 'torrent'],
  // Documents that need a converter.
  ...['pdf', 'ps', 'doc', 'docx', 'docm', 'dot', 'dotx', 'xls', 'xlsx', 'xlsm', 'xlsb', 'ppt', 'pptx', 'pps', 'ppsx'],
  ...['odt', 'ods', 'odp', 'odg', 'rtf', 'epub', 'mobi', 'azw3', 'djvu', 'vsd', 'mdb', 'accdb', 'pub', 'tex', 'dvi'],
  // Data, models and maps.
  ...['csv', 'tsv', 'parquet', 'sqlite', 'db', 'dat', 'sav', 'nc', 'hdf5', 'h5', 'npy', 'kml', 'kmz', 'shp', 'gpx'],
  ...['dwg', 'dxf', 'stl', 'obj', 'fbx', 'blend', 'step', 'stp', 'ics', 'vcf', 'asc', 'sig', 'md5', 'sha1', 'sha256'],
  // Styles, scripts and other parts of a page.
  ...['css', 'scss', 'less', 'js', 'mjs', 'map', 'wasm', 'class', 'swc', 'cur', 'ani', 'webmanifest'],
];

/** The denied extensions of page requisites: styles, scripts, fonts, and pictures that browsers show. */
export const requisiteExtensions: ReadonlySet<string> = new Set([
  ...['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'gif', 'webp', 'avif', 'bmp', 'ico', 'svg', 'svgz', 'woff', 'woff2', 'ttf'],
  ...['otf', 'eot', 'css', 'js', 'mjs', 'cur', 'webmanifest'],
]);
