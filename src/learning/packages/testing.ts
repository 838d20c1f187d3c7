import assert from 'node:assert/strict'
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

/** Uploads a package whose course has these items, and returns its id. All units share one page. */
export async function uploadItems(
  owner: TestBrowser,
  items: string,
  more: { readonly organisation?: string; readonly id?: string; readonly page?: string } = {},
): Promise<string> {
  const { organisation = 'school', id, page = '<title>Walkaround</title>' } = more
  const archive = buildZip([
    { name: 'cmi5.xml', data: courseOf(items, id) },
    { name: 'index.html', data: page },
  ])
  const made = await uploadPackage(owner, archive, { organisation })
  assert.equal(made.status, 200, made.text)
  return made.body.packageId
}

/** Makes a SCORM package of this manifest, with a page that is `index.html`. */
export const makeScorm = (manifest: string, files: Readonly<Record<string, string | null>> = {}): Buffer =>
  buildZip(
    Object.entries({ 'imsmanifest.xml': manifest, 'index.html': '<!doctype html><title>Walkaround</title>', ...files })
      .filter(([, data]) => data !== null)
      .map(([name, data]) => ({ name, data: data! })),
  )
