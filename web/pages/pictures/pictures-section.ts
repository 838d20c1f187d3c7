import type { KeyOf } from '../fields.ts'
import { type Html, html } from '../html.ts'
import { alertBox, postForm } from '../layout.ts'

export type ImageKind = 'picture' | 'cover'

/** Where each form goes. */
export const UPLOAD_FORMS: Readonly<Record<ImageKind, string>> = {
  picture: '/account/profile/picture',
  cover: '/account/profile/cover',
}
export const REMOVE_FORMS: Readonly<Record<ImageKind, string>> = {
  picture: '/account/profile/picture/remove',
  cover: '/account/profile/cover/remove',
}

const WORDS: Readonly<Record<ImageKind, { heading: string; about: string; label: string; alt: string }>> = {
  picture: {
    heading: 'Picture',
    about: 'Shown beside your name, cut to a square.',
    label: 'New picture',
    alt: 'Your picture',
  },
  cover: { heading: 'Cover', about: 'Shown wide above your profile.', label: 'New cover', alt: 'Your cover' },
}

/** What is shown, at twice the size for sharp screens. */
const IMAGES: Readonly<Record<ImageKind, { src: string; width: number; height: number }>> = {
  picture: { src: '/account/v1/profile/picture?size=256', width: 128, height: 128 },
  cover: { src: '/account/v1/profile/cover?size=640', width: 320, height: 180 },
}

export interface PicturesSection {
  /** Which of them the person has sent; the others are drawn by us. */
  readonly own: Readonly<Record<ImageKind, boolean>>
  readonly keyOf: KeyOf
  readonly problem?: { readonly form: string; readonly sentence: string } | undefined
}

/** Picture and cover of the profile page. */
export function picturesSection({ own, keyOf, problem }: PicturesSection): Html {
  const show = (kind: ImageKind) => {
    const { heading, about, label, alt } = WORDS[kind]
    const { src, width, height } = IMAGES[kind]
    const [upload, remove] = [UPLOAD_FORMS[kind], REMOVE_FORMS[kind]]
    const isWrong = problem?.form === upload || problem?.form === remove
    return html`<section class="card wide" aria-labelledby="${kind}">
<h2 id="${kind}">${heading}</h2>
<p>${about} ${own[kind] ? '' : 'You have sent none, so we drew one.'}</p>
<p><img class="${kind}" src="${src}" width="${width}" height="${height}" alt="${alt}"></p>
${alertBox(isWrong ? problem?.sentence : undefined)}
${postForm(
  { action: upload, csrfToken: keyOf(upload), isUpload: true },
  html`<label for="${kind}-file">${label}</label>
<input id="${kind}-file" name="image" type="file" accept="image/png,image/jpeg,image/webp" aria-describedby="${kind}-hint" required${isWrong && html` autofocus`}>
<p class="quiet hint" id="${kind}-hint">PNG, JPEG or WebP, at most 5 MB and 40 megapixels. What the file says beside the picture, such as where it was taken, is not kept.</p>
<div class="buttons"><button>Send ${kind}</button></div>`,
)}
${own[kind] && postForm({ action: remove, csrfToken: keyOf(remove) }, html`<div class="buttons"><button class="other">Remove ${kind}</button></div>`)}
</section>`
  }
  return html`${show('picture')}
${show('cover')}`
}
