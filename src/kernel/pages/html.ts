/** Escaped HTML. Only the `html` tag creates it, so no unescaped text can reach a page. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | false | readonly Part[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const show = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(show).join('')
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}

/** Template tag for HTML. It escapes values that are not `Html`, joins lists, and omits `undefined` and `false`. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((whole, text, i) => whole + show(parts[i - 1]) + text))

/** Renders a name that a user has chosen. `<bdi>` keeps right-to-left names from reordering the surrounding text. */
export const nameOf = (text: string): Html => html`<bdi>${text}</bdi>`
