/** A piece of a line of text. */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string; readonly href?: string }
  | { readonly kind: 'strong' | 'em'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inlines: readonly Inline[] }

/** A part of a page, from Markdown. Pages are made from these and never from HTML, so no text can become markup. */
export type Block =
  | { readonly kind: 'heading'; readonly depth: number; readonly id: string; readonly inlines: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }

/** An error code, from the table of docs/errors.md. */
export interface ErrorEntry {
  readonly status: string
  readonly code: string
  readonly name: string
  readonly text: string
  readonly advice: readonly Inline[]
}

/** The content of a page of the documentation. */
export interface Article {
  readonly blocks: readonly Block[]
  /** The codes, for the page of errors. */
  readonly errors?: readonly ErrorEntry[]
}

/** A section of a page, for the search. */
export interface Section {
  readonly href: string
  readonly title: string
  /** The name of the page. */
  readonly page: string
  readonly text: string
}
