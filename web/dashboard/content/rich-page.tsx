import { Anchor, Text, Title, type TitleOrder } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import type { LessonDetails } from '../../api/operations.ts'
import { type Block, type Inline, readMarkdown } from './markdown.ts'
import classes from './rich-page.module.css'
import { contentWords as say } from './words.ts'

export type PageFile = NonNullable<LessonDetails['files']>[number]

interface Files {
  readonly find: (fileId: string) => PageFile | undefined
}

// biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of a text have no ids, and stay in their order

/** Shows the text of a page as React elements, with its files. */
export function RichPage({ text, files }: { readonly text: string; readonly files: readonly PageFile[] }) {
  const find = (fileId: string) => files.find((one) => one.fileId === fileId)
  return (
    <div className={classes.page}>
      <Blocks blocks={readMarkdown(text)} find={find} />
    </div>
  )
}

const Blocks = ({ blocks, find }: { readonly blocks: readonly Block[] } & Files): ReactNode =>
  blocks.map((block, i) => <OneBlock key={i} block={block} find={find} />)

function OneBlock({ block, find }: { readonly block: Block } & Files): ReactNode {
  switch (block.kind) {
    case 'heading':
      // The page has one first heading already: the name of the lesson.
      return (
        <Title order={Math.min(6, block.depth + 1) as TitleOrder}>
          <Line inlines={block.inlines} find={find} />
        </Title>
      )
    case 'paragraph':
      // A video is no part of a line, so this is no paragraph element.
      return (
        <div className={classes.paragraph}>
          <Line inlines={block.inlines} find={find} />
        </div>
      )
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <pre className={classes.code} tabIndex={0}>
          {block.text}
        </pre>
      )
    case 'rule':
      return <hr />
    case 'quote':
      return (
        <blockquote className={classes.quote}>
          <Blocks blocks={block.blocks} find={find} />
        </blockquote>
      )
    case 'list': {
      const items = block.items.map((item, i) => (
        <li key={i}>
          <Blocks blocks={item} find={find} />
        </li>
      ))
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <div className={`gs-scroll ${classes.table}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, i) => (
                  <th key={i} scope="col">
                    <Line inlines={cell} find={find} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, j) => (
                    <td key={j}>
                      <Line inlines={cell} find={find} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

const Line = ({ inlines, find }: { readonly inlines: readonly Inline[] } & Files): ReactNode =>
  inlines.map((one, i) => <Piece key={i} inline={one} find={find} />)

function Piece({ inline, find }: { readonly inline: Inline } & Files): ReactNode {
  if (typeof inline === 'string') return <Fragment>{inline}</Fragment>
  switch (inline.kind) {
    case 'break':
      return <br />
    case 'code':
      return <code className={classes.inlineCode}>{inline.text}</code>
    case 'media':
      return <Media file={find(inline.fileId)} alt={inline.alt} />
    case 'file': {
      const file = find(inline.fileId)
      if (!file) return <Missing text={<Line inlines={inline.inlines} find={find} />} />
      return (
        <Away href={file.url}>
          {inline.inlines.length === 0 ? file.name : <Line inlines={inline.inlines} find={find} />}
        </Away>
      )
    }
    case 'link':
      return (
        <Away href={inline.href}>
          <Line inlines={inline.inlines} find={find} />
        </Away>
      )
    default: {
      const Weight = inline.kind
      return (
        <Weight>
          <Line inlines={inline.inlines} find={find} />
        </Weight>
      )
    }
  }
}

/** A link that leaves the platform. The page behind it does not learn where the reader came from. */
const Away = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
    {children}
  </Anchor>
)

const Missing = ({ text }: { readonly text: ReactNode }) => (
  <Text component="span" inherit c="dimmed" title={say.missing}>
    {text} ({say.missing})
  </Text>
)

/** Shows an image, a video or a sound; any other file as a link. */
function Media({ file, alt }: { readonly file: PageFile | undefined; readonly alt: string }) {
  if (!file) return <Missing text={alt} />
  const { mediaType, url, name } = file
  if (mediaType.startsWith('image/')) return <img className={classes.image} src={url} alt={alt} />
  if (mediaType.startsWith('video/'))
    // biome-ignore lint/a11y/useMediaCaption: a page has no captions of its own; a file lesson has
    return <video className={classes.image} src={url} controls preload="metadata" aria-label={alt || name} />
  if (mediaType.startsWith('audio/'))
    // biome-ignore lint/a11y/useMediaCaption: as above
    return <audio className={classes.audio} src={url} controls preload="metadata" aria-label={alt || name} />
  return <Away href={url}>{alt || name}</Away>
}
// biome-ignore-end lint/suspicious/noArrayIndexKey: see above
