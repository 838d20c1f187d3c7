import assert from 'node:assert/strict'
import { call } from '../../apps/account/testing.ts'
import { uploadPackage } from '../../learning/packages/testing.ts'
import { itemOf, manifestOf, resourceOf } from '../../learning/packages/testing-scorm.ts'
import { buildZip } from '../../learning/packages/testing-zip.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { TestApp } from '../../operations/testing/testing.ts'
import { openPackageClass } from '../launches/testing.ts'

export type TestedVersion = '1.2' | '2004 4th Edition'

interface ScormClass {
  /** Id of the course and the class; the lessons are `ITEM-KEY`. */
  readonly key: string
  readonly version: TestedVersion
  readonly ids?: readonly string[]
  /** Elements of the organisation, instead of one item for each id. */
  readonly items?: string
  readonly resources?: string
  /** Files beside the manifest; a text is the page of all items. */
  readonly page?: string
  readonly files?: Readonly<Record<string, string>>
  /** Positions of the items of the lessons. By default the first ones. */
  readonly positions?: readonly number[]
  /** True if the first lesson contains the others. */
  readonly isNested?: boolean
}

/** Makes a course of a SCORM package, and a class of it in which Avery is a student. */
export async function makeScormClass(app: TestApp, owner: TestBrowser, what: ScormClass): Promise<void> {
  const { key, version, ids = ['sco'], page = `<title>${key}</title>`, files = {} } = what
  const { items = ids.map((id) => itemOf(`${id}-${key}`)).join(''), resources = resourceOf('sco') } = what
  const archive = buildZip(
    Object.entries({
      'imsmanifest.xml': manifestOf({ version, items, resources }),
      'index.html': page,
      ...files,
    }).map(([name, data]) => ({ name, data })),
  )
  const made = await uploadPackage(owner, archive)
  assert.equal(made.status, 200, made.text)
  const { packageId } = made.body
  const { positions = ids.map((_, i) => i), isNested = false } = what
  const all = ids.map((id, i) => ({
    ...{ id: `${id}-${key}`, name: id, kind: 'package', package: packageId, item: positions[i] },
  }))
  const lessons = isNested ? [{ ...all[0], childLessons: all.slice(1) }] : all
  const saved = await call(owner, 'PUT', '/edu/v1/course', {
    ...{ courseId: key, organisation: 'school', name: key, lessons },
  })
  assert.equal(saved.status, 200, saved.text)
  assert.equal((await call(owner, 'POST', '/edu/v1/course/publish', { courseId: key })).status, 200)
  await openPackageClass(app, key)
}
