/** Sets the light or dark theme: the system's, or the one chosen here. Runs before the first paint. */
const choices = ['system', 'light', 'dark'] as const;
type Choice = (typeof choices)[number];
const signs: Readonly<Record<Choice, string>> = { system: '◐', light: '☀', dark: '☾' };
const names: Readonly<Record<Choice, string>> = { system: 'system', light: 'light', dark: 'dark' };
const key = 'crawlstream-theme';

let choice = stored();
apply();

function stored(): Choice {
  try {
    return choices.find((one) => one === localStorage.getItem(key)) ?? 'system';
  } catch {
    // Storage may be off.
    return 'system';
  }
}

function apply(): void {
  if (choice === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = choice;
}

/** `onChange`: canvases are to be painted again. */
export function themeButton(button: HTMLButtonElement, onChange: () => void): void {
  const show = () => {
    button.textContent = signs[choice];
    button.setAttribute('aria-label', `Colours: ${names[choice]}`);
    button.title = `Colours: ${names[choice]}`;
  };
  show();
  button.addEventListener('click', () => {
    choice = choices[(choices.indexOf(choice) + 1) % choices.length]!;
    try {
      localStorage.setItem(key, choice);
    } catch {
      // It lasts as long as the page then.
    }
    apply();
    show();
    onChange();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange);
}
