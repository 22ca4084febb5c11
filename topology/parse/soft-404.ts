/**
 * Recognises pages that say they do not exist, with a status that says they do. It goes by the title alone, since that
 * is where servers and shop systems say so. Pages about such pages ("How to fix 404 errors") have longer titles, and do
 * not count.
 *
 * Source of the term: Bar-Yossef et al., "Sic transit gloria telae" (WWW 2004). Their test fetches a name that cannot
 * exist; here the duplicate rate of a prefix (policy/traps) finds the same without a request.
 */
const says =
  /^(?:error\W*)?404\b|\b(?:page|file|document|site|seite|p[aá]gina|page web)\b[^.]{0,20}\b(?:not found|nicht gefunden|no encontrada|non trouv[ée]e|introuvable|non trovata|n[aã]o encontrada|does(?:n['’]t| not) exist|existiert nicht)|^not found$/i;
const titleCharsMax = 60;

export function isSoft404(title: string): boolean {
  return title !== '' && title.length <= titleCharsMax && says.test(title.trim());
}
