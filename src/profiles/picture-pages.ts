import { Type } from 'typebox'
import { type ImageKind, REMOVE_FORMS, UPLOAD_FORMS } from '../../web/pages/pictures/pictures-section.ts'
import { PROFILE } from '../../web/pages/profiles/profile-page.ts'
import { fail } from '../errors.ts'
import { Nothing } from '../http/input/fields.ts'
import { doneAt, ownForm } from '../http/pages/own-page.ts'
import type { Page } from '../http/pages/page.ts'
import { removeImage, setImage } from '../pictures/pictures.ts'
import { SetImage } from '../pictures/schema.ts'
import { imageWorker } from '../pictures/worker.ts'
import { lookAtProfile } from './pages.ts'

/** What is missing is told on the page itself. */
const UploadForm = Type.Partial(SetImage)
const back = () => PROFILE

const formsOf = (kind: ImageKind): Page[] => [
  ownForm({
    name: `${kind}Form`,
    path: UPLOAD_FORMS[kind],
    input: UploadForm,
    from: 'multipart',
    back,
    run: async ({ db, environment, request }, who, { image }) => {
      if (!image) throw fail('parameterMissing', 'Choose a file first')
      const hasLeft = () => request.hasLeft
      await setImage(db, who, { kind, image, hasLeft }, environment.get(imageWorker))
      return doneAt(PROFILE, `${kind}-set`)
    },
    showProblem: (context, who, _typed, problem) =>
      lookAtProfile(context, who, { failure: { form: UPLOAD_FORMS[kind], problem } }),
  }),
  ownForm({
    name: `remove${kind === 'picture' ? 'Picture' : 'Cover'}Form`,
    path: REMOVE_FORMS[kind],
    input: Nothing,
    back,
    run: async ({ db }, who) => {
      await removeImage(db, who, { kind })
      return doneAt(PROFILE, `${kind}-removed`)
    },
    showProblem: (context, who, _typed, problem) =>
      lookAtProfile(context, who, { failure: { form: REMOVE_FORMS[kind], problem } }),
  }),
]

/** The forms of picture and cover on the page of one's profile. */
export const picturePages: readonly Page[] = [...formsOf('picture'), ...formsOf('cover')]
