import assert from 'node:assert/strict'
import { call } from '../../apps/account/testing.ts'
import { FETCH_TOKEN, PACKAGE_ID, PACKAGE_UPLOAD_ID, SESSION_ID } from '../../kernel/samples.ts'
import { makeScorm, uploadPackage } from '../../learning/packages/testing.ts'
import { manifestOf } from '../../learning/packages/testing-scorm.ts'
import type { TestApp } from '../testing/testing.ts'
import { type Addition, type Prepare, requestOf, type Scene, signIn } from './testing-scene.ts'

/** Adds a lesson of a cmi5 package and one of a SCORM package to the course of Avery's class. */
async function addPackageLessons(app: TestApp): Promise<void> {
  const casey = await signIn(app, 'casey')
  const { file } = requestOf('uploadPackage') as { file: string }
  const packages = [
    { lesson: 'lesson-fuel', archive: file },
    { lesson: 'lesson-weather', archive: makeScorm(manifestOf({ version: '1.2' })) },
  ]
  await app.sql(`update classes set is_sequential = false where key = 'class-alpha'`)
  for (const { lesson, archive } of packages) {
    const { status, text, body } = await uploadPackage(casey, archive, { organisation: 'sandhills', name: lesson })
    assert.equal(status, 200, text)
    await app.sql(
      `insert into lessons (key, course_id) select '${lesson}', course_id from classes where key = 'class-alpha';
       insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public,
         launch_parameters, passes_code, prerequisites, earlier, kind, package_id, package_item)
       select c.version_id, l.id, (select max(position) + 1 from lesson_versions v where v.version_id = c.version_id), 'Fuel planning', '',
              false, false, false, '{}', false, '{}', '{}', 'package', p.id, 0
         from classes c, lessons l, packages p where c.key = 'class-alpha' and l.key = '${lesson}' and p.key = '${body.packageId}'`,
    )
  }
}

const storePackage: Prepare = async ({ browser, real }) => {
  const { file, ...query } = requestOf('uploadPackage') as Record<string, string>
  const seen = await browser.send(`/edu/v1/package?${new URLSearchParams(query)}`, { method: 'POST', body: file! })
  assert.equal(seen.status, 200, seen.text)
  real[PACKAGE_ID] = JSON.parse(seen.text).packageId
}

const beginUpload: Prepare = async ({ browser, real }) => {
  const { body } = await call(browser, 'POST', '/edu/v1/package/upload', requestOf('createPackageUpload'))
  real[PACKAGE_UPLOAD_ID] = body.uploadId
}
const sendWholeUpload: Prepare = async (scene) => {
  await beginUpload(scene)
  const { part } = requestOf('storePackagePart') as { part: string }
  const query = new URLSearchParams({ uploadId: scene.real[PACKAGE_UPLOAD_ID]!, offset: '0' })
  const seen = await scene.browser.send(`/edu/v1/package/upload/part?${query}`, { method: 'PUT', body: part })
  assert.equal(seen.status, 200, seen.text)
}

const launchLesson = async ({ app, real }: Scene, lessonId: string): Promise<void> => {
  const what = { lessonId, classId: 'class-alpha' }
  const { status, text, body } = await call(await signIn(app, 'avery'), 'POST', '/edu/v1/package/launch', what)
  assert.equal(status, 200, text)
  real[SESSION_ID] = body.sessionId
  real[FETCH_TOKEN] = new URL(new URL(body.url).searchParams.get('fetch')!).searchParams.get('token')!
}
const launchFuel: Prepare = (scene) => launchLesson(scene, 'lesson-fuel')
const openPlayer: Prepare = async (scene) => {
  await launchLesson(scene, 'lesson-weather')
  const token = encodeURIComponent(scene.real[FETCH_TOKEN]!)
  const { body } = await call(scene.visitor, 'POST', `/cmi5/v1/fetch?token=${token}`)
  scene.launchKey = `Basic ${body['auth-token']}`
}

/** The lessons that the examples about launching a package need. */
export const PACKAGE_ADDITIONS: readonly Addition[] = [
  {
    name: 'lessons of packages',
    isFor: (area, name) => area === 'Packages' && /Lesson$|PackageSession|Scorm|Launch/.test(name),
    add: (app) => addPackageLessons(app),
  },
]

/** Preparations that the examples about storing, uploading and launching packages need. */
export const PACKAGE_PREPARATIONS: Readonly<Record<string, Prepare>> = {
  addCoursePackage: async (scene) => {
    // Ellis is the author of the course, and the author of the package is another person.
    await storePackage(scene)
    await call(scene.browser, 'PUT', '/edu/v1/course', requestOf('saveCourse'))
  },
  readPackage: storePackage,
  listPackageItems: storePackage,
  deletePackage: storePackage,
  previewPackageItem: storePackage,
  readPackageLesson: launchFuel,
  listPackageSessions: launchFuel,
  endPackageSession: launchFuel,
  fetchLaunchCredential: launchFuel,
  readScormSession: openPlayer,
  commitScorm: openPlayer,
  storePackagePart: beginUpload,
  readPackageUpload: beginUpload,
  finishPackageUpload: sendWholeUpload,
  deletePackageUpload: beginUpload,
}
