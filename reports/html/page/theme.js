/// <reference lib="dom" />
// Light and dark: as the system has it, until the reader says otherwise; light on paper.

/** @import { Theme } from '../../../lib/report/charts/scene-types.js' */

const system = matchMedia('(prefers-color-scheme: dark)');
const paper = matchMedia('print');

/** @returns {Theme} on the screen */
function screenTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return system.matches ? 'dark' : 'light';
}

/** @returns {Theme} of what is drawn now */
export const drawnTheme = () => (paper.matches ? 'light' : screenTheme());

/** @param {HTMLElement} button @param {() => void} onChange */
export function offerThemes(button, onChange) {
  const tell = () => {
    button.textContent = screenTheme() === 'dark' ? 'Light' : 'Dark';
    onChange();
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = screenTheme() === 'dark' ? 'light' : 'dark';
    tell();
  });
  system.addEventListener('change', tell);
  paper.addEventListener('change', onChange);
  tell();
}
