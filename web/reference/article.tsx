import { Title, type TitleOrder } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { Code as CodeBlock } from '../parts/code.tsx'
import type { Block, Inline } from './article-types.ts'
import { DocLink } from './doc-link.tsx'
import classes from './site.module.css'
import { siteWords } from './site-words.ts'

// biome-ignore-start lint/suspicious/noArrayIndexKey: the content of a page never changes its order

/** Returns the text of a line without its formatting. */
export const plainOf = (inlines: readonly Inline[]): string =>
  inlines.map((one) => (typeof one === 'string' ? one : one.kind === 'code' ? one.text : plainOf(one.inlines))).join('')

const Code = ({ text }: { readonly text: string }) => <code className={classes.inlineCode}>{text}</code>

/** Renders a line of text with code, weight and links. */
export const Line = ({ inlines }: { readonly inlines: readonly Inline[] }): ReactNode =>
  inlines.map((one, i) => {
    if (typeof one === 'string') return <Fragment key={i}>{one}</Fragment>
    if (one.kind === 'code' && one.href === undefined) return <Code key={i} text={one.text} />
    if (one.kind === 'code' || one.kind === 'link')
      return (
        <DocLink key={i} href={one.href!} className={classes.link}>
          {one.kind === 'code' ? <Code text={one.text} /> : <Line inlines={one.inlines} />}
        </DocLink>
      )
    const Weight = one.kind
    return (
      <Weight key={i}>
        <Line inlines={one.inlines} />
      </Weight>
    )
  })

function Heading({ depth, id, inlines }: Extract<Block, { kind: 'heading' }>) {
  return (
    <Title order={depth as TitleOrder} id={id} className={classes.heading}>
      <Line inlines={inlines} />
      <SectionLink id={id} title={plainOf(inlines)} />
    </Title>
  )
}

/** A link that appears beside a heading and gives the address of the section. */
export const SectionLink = ({ id, title }: { readonly id: string; readonly title: string }) => (
  <DocLink href={`#${id}`} className={classes.anchor} aria-label={siteWords.sectionLink(title)}>
    #
  </DocLink>
)

function Table({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <div className={`gs-scroll ${classes.table}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, i) =>
              // A heading without text would be announced as one.
              cell.length === 0 ? (
                <td key={i} />
              ) : (
                <th key={i} scope="col">
                  <Line inlines={cell} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>
                  <Line inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Part({ block }: { readonly block: Block }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />
    case 'paragraph':
      return (
        <p>
          <Line inlines={block.inlines} />
        </p>
      )
    case 'code':
      return <CodeBlock value={block.text} what={siteWords.code(block.language)} />
    case 'list': {
      const items = block.items.map((item, i) => (
        <li key={i}>
          <Blocks blocks={item} />
        </li>
      ))
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
    }
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case 'table':
      return <Table {...block} />
  }
}

/** Renders the parts of a page. Text is always text: nothing of it is read as HTML. */
export const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }): ReactNode =>
  blocks.map((block, i) => <Part key={i} block={block} />)
// biome-ignore-end lint/suspicious/noArrayIndexKey: see above
