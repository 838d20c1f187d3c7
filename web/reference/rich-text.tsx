import { Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import classes from './reference.module.css'

/** Renders `code` and **bold** as React nodes, never as raw HTML. */
export const Inline = ({ text }: { readonly text: string }): ReactNode =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece, i) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces of a text stay in their order
    if (/^`[^`]+`$/.test(piece))
      return (
        <code key={i} className={classes.code}>
          {piece.slice(1, -1)}
        </code>
      )
    if (/^\*\*[^*]+\*\*$/.test(piece)) return <strong key={i}>{piece.slice(2, -2)}</strong>
    return <Fragment key={i}>{piece}</Fragment>
    // biome-ignore-end lint/suspicious/noArrayIndexKey: see above
  })

/** Renders paragraphs and lists with hyphens, which is the format of descriptions in the OpenAPI document. */
export const RichText = ({ text }: { readonly text: string }) =>
  text.split(/\n{2,}/).map((block, i) => {
    const items = block.startsWith('- ') ? block.slice(2).split(/\n- /) : undefined
    return items ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text stay in their order
      <ul key={i} className={classes.list}>
        {items.map((item) => (
          <li key={item}>
            <Inline text={item.replaceAll(/\s*\n\s*/g, ' ')} />
          </li>
        ))}
      </ul>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Text key={i} component="p" m={0} className={classes.prose}>
        <Inline text={block.replaceAll('\n', ' ')} />
      </Text>
    )
  })
