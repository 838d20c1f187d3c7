/** Text that is HTML already: made by `html` alone, so that nothing else reaches a page unescaped. */
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

/** A template of HTML: what is put in is escaped, unless it is HTML itself; lists are joined, `undefined` and `false` are nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((whole, text, i) => whole + show(parts[i - 1]) + text))

/** A name that somebody chose: whatever its direction, it leaves the words around it in their order. */
export const nameOf = (text: string): Html => html`<bdi>${text}</bdi>`
