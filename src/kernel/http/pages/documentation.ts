import type { BuiltDocument, BuiltSite } from '../../../../web/built.ts'
import { CHANGELOG_PAGE, ERRORS_PAGE, GUIDES, pathOf, SECTIONS_PATH } from '../../../../web/reference/guides.ts'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { compressedRoute } from '../output/compressed.ts'
import { JSON_TYPE, MARKDOWN_TYPE, TEXT_TYPE } from '../output/media-types.ts'
import type { PlainRoute } from '../request.ts'
import { findBuild, sendWebPage } from './web-app.ts'

/**
 * Creates the routes of the documentation: its pages, their content for the browser and as Markdown, and `/llms.txt`.
 * Each document has routes of its own, so no part of a path ever names a file.
 */
export function documentationRoutes(environment: Environment): PlainRoute[] {
  const site = findBuild()?.site
  const page = (path: string): PlainRoute => ({
    path,
    name: 'docs',
    handle: (request) => sendWebPage(environment, request),
  })
  const text = (path: string, type: string, write: (site: BuiltSite) => string): PlainRoute =>
    compressedRoute(environment, {
      path,
      name: 'docs',
      type,
      write: () => {
        if (!site) throw fail('notReady', 'The pages were not built: install the development dependencies')
        return write(site)
      },
    })
  return [
    page('/docs'),
    ...(site?.documents ?? []).flatMap((document) => [
      page(document.path),
      text(`${document.path}.json`, JSON_TYPE, () => JSON.stringify(document.article)),
      text(`${document.path}.md`, MARKDOWN_TYPE, () => withAddresses(document, environment.url)),
    ]),
    text(SECTIONS_PATH, JSON_TYPE, ({ sections }) => JSON.stringify(sections)),
    text('/llms.txt', TEXT_TYPE, () => writeIndex(environment.url)),
    text('/llms-full.txt', TEXT_TYPE, ({ documents }) =>
      documents.map((one) => withAddresses(one, environment.url)).join('\n'),
    ),
  ]
}

/** Adds the address of the platform to the links of a document, so that they also work when it was downloaded. */
const withAddresses = ({ markdown }: BuiltDocument, url: string): string => markdown.replaceAll('](/', `](${url}/`)

/** Writes the list of all documents for language models (https://llmstxt.org). */
function writeIndex(url: string): string {
  const link = (name: string, path: string, about: string) => `- [${name}](${url}${path}): ${about}`
  const sections = GUIDES.map(({ title, pages }) => ({
    title,
    lines: pages.map((page) => link(page.name, `${pathOf(page)}.md`, page.about)),
  }))
  const reference = [
    link('OpenAPI file', '/openapi.json', 'Every operation with its fields, errors and examples.'),
    link(ERRORS_PAGE.name, `${pathOf(ERRORS_PAGE)}.md`, ERRORS_PAGE.about),
  ]
  const optional = [
    link(CHANGELOG_PAGE.name, `${pathOf(CHANGELOG_PAGE)}.md`, CHANGELOG_PAGE.about),
    link('All documents in one file', '/llms-full.txt', 'The guides, the errors and the changelog.'),
    link('Documentation for people', '/docs', 'The same as pages, with a form to try each operation.'),
  ]
  const all = [...sections, { title: 'Reference', lines: reference }, { title: 'Optional', lines: optional }]
  return `# Groundschool

> The training platform behind your apps. Apps sign users in, store JSON documents, launch lessons, record progress and send xAPI statements through a JSON API over HTTP.

Production and sandbox are two platforms with the same API and separate data. This is ${url}. Programs should go by error codes, not by messages.

${all.map(({ title, lines }) => `## ${title}\n\n${lines.join('\n')}\n`).join('\n')}`
}
