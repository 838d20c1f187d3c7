import { lexer, type Token, type Tokens } from 'marked'

/** A piece of a line of text. */
export type Inline =
  | string
  | { readonly kind: 'break' }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inlines: readonly Inline[] }
  | { readonly kind: 'file'; readonly fileId: string; readonly inlines: readonly Inline[] }
  | { readonly kind: 'media'; readonly fileId: string; readonly alt: string }

/** A part of a page. Pages are made from these and never from HTML, so no text can become markup. */
export type Block =
  | { readonly kind: 'heading'; readonly depth: number; readonly inlines: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }

/** Reads Markdown. HTML stays text, and links lead only to web pages, mail addresses and uploaded files. */
export const readMarkdown = (text: string): Block[] => blocksOf(lexer(text))

const FILE = /^file:([\w-]{1,64})$/
const LINK = /^(?:https?:\/\/|mailto:)/i

const blocksOf = (tokens: readonly Token[]): Block[] => tokens.flatMap(blockOf)
const inlinesOf = (tokens: readonly Token[] = []): Inline[] => tokens.flatMap(inlineOf)

function blockOf(token: Token): Block[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return [{ kind: 'heading', depth: token.depth, inlines: inlinesOf(token.tokens) }]
    case 'code':
      return [{ kind: 'code', text: token.text }]
    case 'hr':
      return [{ kind: 'rule' }]
    case 'list': {
      const { start, items } = token as Tokens.List
      return [
        { kind: 'list', start: start === '' ? undefined : start, items: items.map((item) => blocksOf(item.tokens)) },
      ]
    }
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocksOf(token.tokens ?? []) }]
    case 'table': {
      const { header, rows } = token as Tokens.Table
      const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => inlinesOf(tokens))
      return [{ kind: 'table', head: cells(header), rows: rows.map(cells) }]
    }
    case 'paragraph':
    case 'text':
      return [{ kind: 'paragraph', inlines: token.tokens ? inlinesOf(token.tokens) : [token.text] }]
    default:
      return [{ kind: 'paragraph', inlines: [token.raw] }]
  }
}

function inlineOf(token: Token): Inline[] {
  switch (token.type) {
    case 'text':
    case 'escape':
      return token.type === 'text' && token.tokens ? inlinesOf(token.tokens) : [token.text]
    case 'br':
      return [{ kind: 'break' }]
    case 'codespan':
      return [{ kind: 'code', text: token.text }]
    case 'strong':
    case 'em':
    case 'del':
      return [{ kind: token.type, inlines: inlinesOf(token.tokens) }]
    case 'link': {
      const inlines = inlinesOf(token.tokens)
      const fileId = FILE.exec(token.href)?.[1]
      if (fileId !== undefined) return [{ kind: 'file', fileId, inlines }]
      return LINK.test(token.href) ? [{ kind: 'link', href: token.href, inlines }] : inlines
    }
    case 'image': {
      const fileId = FILE.exec(token.href)?.[1]
      if (fileId !== undefined) return [{ kind: 'media', fileId, alt: token.text }]
      // Images of other sites would tell them who reads the page.
      return LINK.test(token.href)
        ? [{ kind: 'link', href: token.href, inlines: [token.text || token.href] }]
        : [token.text]
    }
    default:
      return [token.raw]
  }
}
