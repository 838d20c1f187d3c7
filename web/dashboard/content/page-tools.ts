import type { StoredFile } from '../../api/operations.ts'
import { contentWords as say } from './words.ts'

export type Tool = 'heading' | 'bold' | 'italic' | 'list' | 'link'

export interface Selection {
  readonly start: number
  readonly end: number
}

const MARKS: Readonly<Record<'bold' | 'italic', string>> = { bold: '**', italic: '*' }
const PREFIXES: Readonly<Record<'heading' | 'list', string>> = { heading: '## ', list: '- ' }

/** Applies a tool to the selected text, and selects what the author types next. */
export function applyTool(
  tool: Tool,
  text: string,
  { start, end }: Selection,
): { readonly text: string; readonly selection: Selection } {
  const chosen = text.slice(start, end)
  const replace = (before: string, inside: string, after: string, from = start, to = end) => ({
    text: text.slice(0, from) + before + inside + after + text.slice(to),
    selection: { start: from + before.length, end: from + before.length + inside.length },
  })
  switch (tool) {
    case 'bold':
    case 'italic':
      return replace(MARKS[tool], chosen || say.sample.text, MARKS[tool])
    case 'link':
      return replace('[', chosen || say.sample.link, '](https://)')
    default: {
      const from = text.lastIndexOf('\n', start - 1) + 1
      const lines = text.slice(from, end) || (tool === 'heading' ? say.sample.heading : say.sample.item)
      const [first = '', ...others] = lines.split('\n').map((line) => PREFIXES[tool] + line)
      const inside = [first.slice(PREFIXES[tool].length), ...others].join('\n')
      return replace(PREFIXES[tool], inside, '', from)
    }
  }
}

/** Returns the Markdown that shows a file: images, videos and sounds in place, all others as links. */
export function fileText({ fileId, name, mediaType }: StoredFile): string {
  const label = name.replace(/\.[^.]+$/, '').replace(/[[\]\\]/g, '')
  return /^(?:image|video|audio)\//.test(mediaType)
    ? `![${label}](file:${fileId})`
    : `[${name.replace(/[[\]\\]/g, '')}](file:${fileId})`
}
