import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A fenced block of a document: ```` ```sh ````, and what else its first line says. */
export interface Block {
  readonly place: string
  readonly language: string
  /** `norun: WHY` of commands that cannot run here. */
  readonly whyNot: string | undefined
  /** `refused 4032 4091`: the error codes that its commands are answered with. */
  readonly refusals: readonly string[]
  /** `json school.json`: what readers save under this name. */
  readonly fileName: string | undefined
  readonly code: string
}

export interface Document {
  readonly file: string
  readonly blocks: readonly Block[]
}

/** Every document that people read, the README first. */
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

/** Those that a document's reader pastes into a terminal. */
export const commandsOf = ({ blocks }: Document): Block[] =>
  blocks.filter(({ language, whyNot }) => language === 'sh' && whyNot === undefined)
