import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import type { Tree } from './graph.ts'

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((line) => line !== '')

/** Reads the files of the working tree. It does not use Git, so it also works outside a clone. */
export function readTree(): Tree {
  const texts = new Map<string, string>()
  const read = (file: string): string => {
    if (!texts.has(file)) texts.set(file, readFileSync(file, 'utf8'))
    return texts.get(file)!
  }
  const files = globSync('**/*.*', { exclude: ['**/node_modules', '**/dist', 'data'] })
  return { files, read }
}

/** Lists the files that differ from the merge base with `ref`, committed or not. */
export function listChanged(ref: string): string[] {
  const [base] = git('merge-base', ref, 'HEAD')
  return [...git('diff', '--name-only', base!), ...git('ls-files', '--others', '--exclude-standard')]
}
