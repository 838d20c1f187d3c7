/** Statuses of SCORM 1.2, and their letters in AICC scripts. */
const STATUSES: Readonly<Record<string, string>> = {
  ...{ p: 'passed', c: 'completed', f: 'failed', i: 'incomplete', b: 'browsed', n: 'not attempted' },
}
const TOKEN = /\s*(<>|[&|~=(){},*]|"[^"]*"|not attempted|[^\s&|~=<>(){},*"]+)/iy

/** Returns the status of an item; undefined if the package has no item with this id. */
type StatusOf = (id: string) => string | undefined

const unreadable = () => new Error('The expression cannot be read')

/**
 * Evaluates the prerequisites of an item: an AICC script over ids of items (SCORM 1.2 CAM 2.3.5.4), such as
 * `a & (b | c=passed)` or `2*{a, b, c}`. An id alone is met by an item that was passed or completed. Returns true for
 * an expression that cannot be read, or names an unknown item: a mistake of an author must not lock students out.
 */
export function arePrerequisitesMet(expression: string, statusOf: StatusOf): boolean {
  try {
    return new Evaluation(expression, statusOf).result()
  } catch {
    return true
  }
}

class Evaluation {
  readonly #tokens: readonly string[]
  readonly #statusOf: StatusOf
  #place = 0

  constructor(expression: string, statusOf: StatusOf) {
    this.#tokens = tokensOf(expression)
    this.#statusOf = statusOf
  }

  result(): boolean {
    const result = this.#any()
    if (this.#place < this.#tokens.length) throw unreadable()
    return result
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#place] !== token) return false
    this.#place++
    return true
  }

  #next(): string {
    const token = this.#tokens[this.#place++]
    if (token === undefined) throw unreadable()
    return token
  }

  // Both sides are always evaluated, so that the whole expression is read.
  #any(): boolean {
    let result = this.#all()
    while (this.#take('|')) result = this.#all() || result
    return result
  }

  #all(): boolean {
    let result = this.#one()
    while (this.#take('&')) result = this.#one() && result
    return result
  }

  #one(): boolean {
    if (this.#take('~')) return !this.#one()
    if (this.#take('(')) {
      const result = this.#any()
      if (!this.#take(')')) throw unreadable()
      return result
    }
    if (this.#take('{')) return this.#set().every(Boolean)
    const name = this.#next()
    if (/^\d+$/.test(name) && this.#take('*')) {
      if (!this.#take('{')) throw unreadable()
      return this.#set().filter(Boolean).length >= Number(name)
    }
    if (/^[&|=<>(){},*]/.test(name)) throw unreadable()
    const status = this.#statusOf(name)
    if (status === undefined) throw unreadable()
    if (this.#take('=')) return status === this.#status()
    if (this.#take('<>')) return status !== this.#status()
    return status === 'passed' || status === 'completed'
  }

  #set(): boolean[] {
    const results = [this.#any()]
    while (this.#take(',')) results.push(this.#any())
    if (!this.#take('}')) throw unreadable()
    return results
  }

  #status(): string {
    const name = this.#next().replaceAll('"', '').toLowerCase()
    return STATUSES[name] ?? name
  }
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = []
  const text = expression.trim()
  TOKEN.lastIndex = 0
  for (let end = 0; end < text.length; end = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (!match) throw unreadable()
    tokens.push(match[1]!)
  }
  return tokens
}
