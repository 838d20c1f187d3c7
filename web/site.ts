import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import type { BuiltSite } from './built.ts'
import type { Article, Block, ErrorEntry, Inline, Section } from './reference/article-types.ts'
import { CHANGELOG_PAGE, ERRORS_PAGE, pathOf, SITE_PAGES, type SitePage } from './reference/guides.ts'

/** The README is the quick start up to this line; the rest is for people who work on the platform. */
const END_OF_QUICK_START = '<!-- The quick start of the documentation ends here. -->'
/** The URL of a new installation, which documents use. Links to it lead to the platform that serves the page. */
const EXAMPLE_ADDRESS = 'http://localhost:4000'
const OPENAPI_FILE = 'docs/openapi.json'
/** Addresses that are linked where a document names them. */
const OWN_PATHS = ['/docs', '/openapi.json', '/llms.txt', '/llms-full.txt']

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

/** Reads the Markdown of a page, without comments, and without the notes for tests behind the language of code. */
function readMarkdown({ key, file }: SitePage): string {
  const text = read(file)
  const [start, rest] = text.split(END_OF_QUICK_START)
  if (key === 'guides/quick-start' && rest === undefined) throw new Error(`${file} has lost ${END_OF_QUICK_START}`)
  return `${start!
    .replaceAll(/^<!--.*?-->\n\n?/gms, '')
    .replaceAll(/^(```\w+) .*$/gm, '$1')
    .replace(/^# .*$/m, key === 'guides/quick-start' ? '# Quick start' : '$&')
    .trim()}\n`
}

/** Returns the id that GitHub gives to a heading, because links between the documents use those. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Returns the path from the root of the repository of the file that a link of a document leads to. */
const targetOf = (href: string, file: string): string => posix.join(posix.dirname(file), href.split('#', 1)[0]!)

/**
 * Returns where a link of a document leads on the site: to another page, to the description of the API, or to another
 * host. Returns undefined for files of the repository that the site does not have.
 */
function resolveLink(href: string, file: string): { readonly href: string; readonly page?: SitePage } | undefined {
  if (href.startsWith(`${EXAMPLE_ADDRESS}/`)) return { href: href.slice(EXAMPLE_ADDRESS.length) }
  if (/^(?:https?:|#)/.test(href)) return { href }
  const target = targetOf(href, file)
  if (target === OPENAPI_FILE) return { href: '/openapi.json' }
  const page = SITE_PAGES.find((one) => one.file === target)
  return page && { href: `${pathOf(page)}${/#.*$/.exec(href)?.[0] ?? ''}`, page }
}

const FILE_NAME = /^[\w./-]+\.md$/

/** Replaces the links of a document with addresses of the site, in their Markdown form. */
function rewriteMarkdown(text: string, file: string): string {
  const rewrite = (whole: string, label: string, href: string): string => {
    const found = resolveLink(href, file)
    if (!found) return FILE_NAME.test(label) ? `\`${targetOf(href, file)}\`` : label
    if (!found.page) return found.href.startsWith('/') ? `[${label}](${found.href})` : whole
    const name = FILE_NAME.test(label) ? found.page.name : label
    return `[${name}](${found.href.replace(/(?=#|$)/, '.md')})`
  }
  return text
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, i) => (i % 2 === 0 ? part.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, rewrite) : part))
    .join('')
}

/** Finds the operation that a document names in code: by its id, or by its method and path. */
type FindOperation = (code: string) => string | undefined

function readOperations(): FindOperation {
  const { paths } = JSON.parse(read(OPENAPI_FILE)) as Record<'paths', Record<string, Record<string, Described>>>
  const ids = new Map<string, string>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      ids.set(`${method.toUpperCase()} ${path}`, operationId)
      // An id of one word, such as `metrics`, would also match other things.
      if (/[A-Z]/.test(operationId)) ids.set(operationId, operationId)
    }
  return (code) => ids.get(code)
}
interface Described {
  readonly operationId: string
}

/** Turns the tokens of a Markdown file into blocks. A construct that pages cannot show stops the build. */
class Reader {
  readonly #file: string
  readonly #findOperation: FindOperation
  readonly #slugs = new Map<string, number>()

  constructor(file: string, findOperation: FindOperation) {
    this.#file = file
    this.#findOperation = findOperation
  }

  blocks(tokens: readonly Token[]): Block[] {
    return tokens.flatMap((token) => this.#block(token))
  }

  #block(token: Token): Block[] {
    switch (token.type) {
      case 'space':
        return []
      case 'heading': {
        const inlines = this.inlines((token as Tokens.Heading).tokens)
        return [{ kind: 'heading', depth: token.depth, id: this.#idOf(plainOf(inlines)), inlines }]
      }
      case 'paragraph':
      case 'text':
        return [{ kind: 'paragraph', inlines: this.inlines(token.tokens ?? [token]) }]
      case 'code':
        return [{ kind: 'code', language: token.lang ?? '', text: token.text }]
      case 'list': {
        const { ordered, items } = token as Tokens.List
        return [{ kind: 'list', isOrdered: ordered, items: items.map((item) => this.blocks(item.tokens)) }]
      }
      case 'blockquote':
        return [{ kind: 'quote', blocks: this.blocks((token as Tokens.Blockquote).tokens) }]
      case 'table': {
        const { header, rows } = token as Tokens.Table
        const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => this.inlines(tokens))
        return [{ kind: 'table', head: cells(header), rows: rows.map(cells) }]
      }
      default:
        throw new Error(`${this.#file}: a page cannot show ${token.type}: ${token.raw.slice(0, 80)}`)
    }
  }

  inlines(tokens: readonly Token[]): Inline[] {
    return tokens.flatMap((token) => this.#inline(token))
  }

  #inline(token: Token): Inline[] {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token.type === 'text' && token.tokens ? this.inlines(token.tokens) : [token.text]
      case 'codespan': {
        const href = OWN_PATHS.includes(token.text) ? token.text : this.#operationPath(token.text)
        return [{ kind: 'code', text: token.text, ...(href !== undefined && { href }) }]
      }
      case 'strong':
      case 'em':
        return [{ kind: token.type, inlines: this.inlines(token.tokens ?? []) }]
      case 'link': {
        const found = resolveLink(token.href, this.#file)
        const { page } = found ?? {}
        const inlines = page && FILE_NAME.test(token.text) ? [page.name] : this.inlines(token.tokens ?? []).map(unlink)
        if (found) return [{ kind: 'link', href: found.href, inlines }]
        return FILE_NAME.test(token.text) ? [{ kind: 'code', text: targetOf(token.href, this.#file) }] : inlines
      }
      default:
        throw new Error(`${this.#file}: a page cannot show ${token.type}: ${token.raw.slice(0, 80)}`)
    }
  }

  #operationPath(code: string): string | undefined {
    const id = this.#findOperation(code)
    return id && `/docs/${id}`
  }

  #idOf(title: string): string {
    const slug = slugOf(title)
    const count = this.#slugs.get(slug) ?? 0
    this.#slugs.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

/** A link contains no other link. */
const unlink = (inline: Inline): Inline =>
  typeof inline === 'object' && inline.kind === 'code' ? { kind: 'code', text: inline.text } : inline

const plainOf = (inlines: readonly Inline[]): string =>
  inlines.map((one) => (typeof one === 'string' ? one : one.kind === 'code' ? one.text : plainOf(one.inlines))).join('')

function textOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return plainOf(block.inlines)
    case 'code':
      return block.text
    case 'list':
      return block.items.flat().map(textOf).join('\n')
    case 'quote':
      return block.blocks.map(textOf).join('\n')
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(plainOf).join(' ')).join('\n')
  }
}

/** Takes the table of docs/errors.md apart. Its columns are status, code, name, text and advice. */
function splitErrors(blocks: readonly Block[]): Article {
  const table = blocks.find((block) => block.kind === 'table')
  const errors = table?.rows.map((cells): ErrorEntry => {
    const [status, code, name, text] = cells.map(plainOf)
    return { status: status!, code: code!, name: name!, text: text!, advice: cells[4]! }
  })
  if (!errors?.every(({ code }) => /^\d{4}$/.test(code))) throw new Error('docs/errors.md has no table of codes')
  return { blocks: blocks.filter((block) => block !== table), errors }
}

interface ReadPage {
  readonly page: SitePage
  readonly article: Article
  readonly markdown: string
}

function readPages(): ReadPage[] {
  const findOperation = readOperations()
  return SITE_PAGES.map((page) => {
    const markdown = readMarkdown(page)
    const [heading, ...blocks] = new Reader(page.file, findOperation).blocks(lexer(markdown))
    if (heading?.kind !== 'heading') throw new Error(`${page.file} does not begin with a heading`)
    const content = page === ERRORS_PAGE ? splitErrors(blocks) : { blocks }
    return { page, article: content, markdown: rewriteMarkdown(markdown, page.file) }
  })
}

/** Splits a page into its sections, for the search. */
function sectionsOf({ page, article: { blocks, errors = [] } }: ReadPage): Section[] {
  const path = pathOf(page)
  const sections: { href: string; title: string; page: string; text: string }[] = [
    { href: path, title: page.name, page: page.name, text: page.about },
  ]
  for (const block of blocks)
    if (block.kind === 'heading')
      sections.push({ href: `${path}#${block.id}`, title: plainOf(block.inlines), page: page.name, text: '' })
    else sections.at(-1)!.text += `\n${textOf(block)}`
  for (const { code, name, status, text, advice } of errors)
    sections.push({
      href: `${path}#${code}`,
      title: `${code} ${name}`,
      page: page.name,
      text: `${status} ${text}. ${plainOf(advice)}`,
    })
  return sections
}

/** Reads the pages of the documentation that are made from Markdown files, and what the search looks through. */
export function readSite(): BuiltSite {
  const pages = readPages()
  return {
    documents: pages.map(({ page, article, markdown }) => ({ path: pathOf(page), article, markdown })),
    // The changelog would match nearly every word.
    sections: pages.filter(({ page }) => page !== CHANGELOG_PAGE).flatMap(sectionsOf),
  }
}
