import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer } from '../../operations/testing/testing.ts'
import { auOf, courseOf } from './testing-cmi5.ts'
import { buildZip, type TestEntry } from './testing-zip.ts'

/** Uploads a package like the scripts of the platform's pages do. */
export async function uploadPackage(
  browser: TestBrowser,
  file: Buffer | string,
  more: { readonly organisation?: string; readonly name?: string; readonly type?: string } = {},
): Promise<Answer> {
  const query = new URLSearchParams({ organisation: more.organisation ?? 'school', name: more.name ?? 'course.zip' })
  const seen = await browser.send(`/edu/v1/package?${query}`, {
    method: 'POST',
    body: file as string,
    headers: { 'content-type': more.type ?? 'application/zip' },
  })
  return { ...seen, body: seen.text === '' ? undefined : JSON.parse(seen.text) }
}

/** Makes a package of one AU, whose page is `index.html`, with these files. */
export const makePackage = (files: Readonly<Record<string, string | Buffer>> = {}, more: readonly TestEntry[] = []) =>
  buildZip([
    { name: 'cmi5.xml', data: courseOf(auOf('http://example.com/au')) },
    ...Object.entries({ 'index.html': '<!doctype html><title>Walkaround</title>', ...files }).map(([name, data]) => ({
      name,
      data,
    })),
    ...more,
  ])
