type Rule = readonly [prelude: string, block: string | undefined]

/** Splits minified CSS into rules. A statement such as `@layer a;` has no block. */
function* splitRules(css: string): Generator<Rule> {
  for (let at = 0; at < css.length; ) {
    const open = css.indexOf('{', at)
    const end = css.indexOf(';', at)
    if (open < 0 && end < 0) return
    if (end >= 0 && (open < 0 || end < open)) {
      yield [css.slice(at, end).trim(), undefined]
      at = end + 1
      continue
    }
    let close = open + 1
    for (let depth = 1; depth > 0 && close < css.length; close++)
      depth += css[close] === '{' ? 1 : css[close] === '}' ? -1 : 0
    yield [css.slice(at, open).trim(), css.slice(open + 1, close - 1)]
    at = close
  }
}

/** One selector of a list: commas inside parentheses and brackets belong to it. */
const SELECTOR = /(?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]|[^,])+/g

interface Used {
  readonly classes: ReadonlySet<string>
  readonly tags: ReadonlySet<string>
  readonly html: string
}

/** States and pseudo-elements that nothing has before a script runs, or that only the full styles need. */
const LATER = /:host|:hover|:active|:focus|:disabled|:checked|::placeholder|::-webkit|::-moz|:autofill/

function isUsed(selector: string, { classes, tags, html }: Used): boolean {
  if (LATER.test(selector)) return false
  const plain = selector.replaceAll(/:not\((?:[^()]|\([^()]*\))*\)/g, '').replace(SCHEME, '')
  const names = [...plain.matchAll(/\.((?:[\w-]|\\.)+)/g)].map(([, name]) => name!)
  const attributes = [...plain.matchAll(/\[([\w-]+)(?:=("?)([^"\]]*)\2)?\]/g)].map(([, name, , value]) =>
    value === undefined ? ` ${name}` : ` ${name}="${value}"`,
  )
  const elements = [...plain.replaceAll(/\[[^\]]*\]|::?[\w-]+/g, '').matchAll(/(?:^|[\s>+~(])([a-z][\w-]*)/g)]
  return (
    names.every((name) => classes.has(name)) &&
    attributes.every((attribute) => html.includes(attribute)) &&
    elements.every(([, name]) => tags.has(name!))
  )
}

const SCHEME = /\[data-mantine-color-scheme="?(light|dark)"?\]/

/** Before a script runs, the colour scheme is that of the system. */
const followSystem = (scheme: string | undefined, selector: string, block: string): string =>
  scheme === undefined
    ? `${selector}{${block}}`
    : `@media (prefers-color-scheme:${scheme}){${selector.replaceAll(new RegExp(SCHEME, 'g'), ':root')}{${block}}}`

function filterRules(css: string, used: Used): string {
  let kept = ''
  for (const [prelude, block] of splitRules(css)) {
    if (block === undefined) {
      if (prelude.startsWith('@layer')) kept += `${prelude};`
    } else if (/^@(?:media|layer|supports|container)\b/.test(prelude)) {
      if (prelude.includes('print')) continue
      const inside = filterRules(block, used)
      if (inside !== '') kept += `${prelude}{${inside}}`
    } else if (!prelude.startsWith('@')) {
      const selectors = (prelude.match(SELECTOR) ?? []).filter((selector) => isUsed(selector, used))
      for (const [scheme, same] of Map.groupBy(selectors, (selector) => SCHEME.exec(selector)?.[1]))
        kept += followSystem(scheme, same.join(','), block)
    }
  }
  return kept
}

const CUSTOM = /(--[\w-]+)\s*:\s*((?:\((?:[^()]|\([^()]*\))*\)|"[^"]*"|[^;{}()])*);?/g

/** Removes custom properties that nothing refers to: Mantine declares hundreds. */
function dropUnusedVariables(css: string): string {
  const values = new Map<string, string>()
  for (const [, name, value] of css.matchAll(CUSTOM)) values.set(name!, `${values.get(name!) ?? ''} ${value}`)
  const used = new Set<string>()
  const follow = (text: string): void => {
    for (const [, name] of text.matchAll(/var\((--[\w-]+)/g))
      if (!used.has(name!)) {
        used.add(name!)
        follow(values.get(name!) ?? '')
      }
  }
  follow(css.replaceAll(CUSTOM, ''))
  return css.replaceAll(CUSTOM, (whole, name: string) => (used.has(name) ? whole : '')).replaceAll(/[^{}]+\{\}/g, '')
}

/**
 * Makes a page readable before its style sheets and scripts arrive. Returns the HTML without style elements and style
 * attributes, which the content security policy refuses, and the styles that it needs.
 */
export function inlineStyles(rendered: string, sheets: string): { readonly html: string; readonly css: string } {
  let own = ''
  const attributes = new Map<string, string>()
  const html = rendered
    .replaceAll(/<style[^>]*>(.*?)<\/style>/gs, (_, css: string) => {
      own += css
      return ''
    })
    .replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
      const name = attributes.get(style) ?? `s${attributes.size}`
      attributes.set(style, name)
      return ` data-style="${name}"`
    })
  const classes = new Set([...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, names]) => names!.split(/\s+/)))
  const tags = new Set(['html', 'body', ...[...html.matchAll(/<([a-z][\w-]*)/g)].map(([, tag]) => tag!)])
  const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&')
  const fromAttributes = [...attributes].map(([style, name]) => `[data-style=${name}]{${unescaped(style)}}`).join('')
  const rules = filterRules(sheets + own.replaceAll(/\s*\n\s*/g, ''), { classes, tags, html })
  const css = dropUnusedVariables(rules + fromAttributes)
  return { html, css }
}
