import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A fenced code block in a document. The words after its language are markers for the tests. */
export interface Block {
  readonly place: string
  readonly language: string
  /** The reason from `norun: WHY`, if the commands cannot run in the test. */
  readonly whyNot: string | undefined
  /** Error codes that the commands must receive, as in `refused 4032 4091`. */
  readonly refusals: readonly string[]
  /** Name of the file that readers save the block as, as in `json school.json`. */
  readonly fileName: string | undefined
  readonly code: string
}

export interface Document {
  readonly file: string
  readonly blocks: readonly Block[]
}

/** Reads every document that people read, starting with the README. */
export const readDocuments = (): Document[] =>
  globSync(['*.md', '{docs,deploy,sdk,examples}/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'sdk/dist/**'],
  })
    .sort()
    .map((file) => ({ file, blocks: [...findBlocks(file, readFileSync(join(ROOT, file), 'utf8'))] }))

function* findBlocks(file: string, text: string): Generator<Block> {
  for (const { 1: indent = '', 2: language = '', 3: info = '', 4: body = '', index } of text.matchAll(
    /^( *)```(\w*) ?([^\n]*)\n(.*?)^\1```$/gms,
  )) {
    const line = text.slice(0, index).split('\n').length
    const words = info.split(' ')
    yield {
      place: `${file}:${line}`,
      language,
      whyNot: /^norun: (.+)$/.exec(info)?.[1],
      refusals: words[0] === 'refused' ? words.slice(1) : [],
      fileName: /^[\w-]+\.\w+$/.test(info) ? info : undefined,
      code: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }
  }
}

/** Returns the blocks whose commands readers paste into a terminal. */
export const commandsOf = ({ blocks }: Document): Block[] =>
  blocks.filter(({ language, whyNot }) => language === 'sh' && whyNot === undefined)
