import { setTimeout as wait } from 'node:timers/promises'
import type { Frame } from 'playwright-core'

/**
 * What a student does next in a document, as a script: plays a video to its end, answers the questions on the page, or
 * chooses the button that leads on and marks it. Content that marks right answers (`data-correct`, `data-answer`) gets
 * them. Returns what it did, or nothing if no part of the document leads on.
 */
const step = (mayExit: boolean) => `(async () => {
  const driven = (window.groundschoolDriven ??= { media: new Set(), fields: new Set(), clicks: {} })
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const isOnTop = (one) => {
    if (one.disabled || !isShown(one)) return false
    one.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = one.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    return top !== null && one.contains(top)
  }
  for (const media of document.querySelectorAll('video, audio')) {
    if (driven.media.has(media) || !isShown(media)) continue
    driven.media.add(media)
    media.muted = true
    const end = new Promise((done) => {
      for (const type of ['ended', 'error']) media.addEventListener(type, () => done(type))
      setTimeout(done, 60_000, 'not ended after a minute')
    })
    const outcome = await media.play().then(() => {
      media.playbackRate = 8
      return end
    }, (error) => error.message)
    return { name: 'video: ' + outcome }
  }
  const fields = [...document.querySelectorAll('input, select, textarea')].filter(
    (one) => isShown(one) && !one.disabled && !['button', 'submit', 'reset', 'image'].includes(one.type),
  )
  const groupOf = ({ name }) => fields.filter((one) => one.name === name)
  const isRight = (one) => one.dataset.correct === 'yes'
  const unanswered = fields.filter((one) => !driven.fields.has(one))
  for (const one of unanswered) {
    driven.fields.add(one)
    if (one.type === 'radio' || one.type === 'checkbox') {
      const group = groupOf(one)
      const isAnswer = group.some(isRight) ? isRight(one) : group[0] === one
      if (isAnswer !== one.checked) one.click()
    } else if (one.tagName === 'SELECT') {
      const options = [...one.options]
      const right = options.filter(isRight)
      for (const option of options) option.selected = right.length > 0 ? isRight(option) : option === options.at(-1)
    } else one.value = one.dataset.answer ?? '1'
    for (const type of ['input', 'change']) one.dispatchEvent(new Event(type, { bubbles: true }))
  }
  if (unanswered.length > 0) return { name: unanswered.length + ' fields' }
  const labelOf = (one) => (one.innerText || one.value || one.ariaLabel || one.title || '').trim()
  const buttons = [...document.querySelectorAll('body *')].filter((one) => {
    const isButton = one.matches('button, a[href], [role=button], [onclick], input[type=button], input[type=submit]')
    return isButton || (one.children.length === 0 && getComputedStyle(one).cursor === 'pointer')
  })
  const submit = /^(submit|check answers?|done)\\b/i
  const kinds = [
    /^(start|begin|restart|resume)\\b/i,
    ...(fields.length > 0 ? [submit] : []),
    /^(next|continue)\\b/i,
    submit,
    ...(${mayExit} ? [/^(exit|finish|close|quit)\\b/i] : []),
  ]
  for (const kind of kinds)
    for (const one of buttons) {
      const label = labelOf(one)
      if (label.length > 60 || !kind.test(label) || !isOnTop(one)) continue
      // A button that was pressed on the same page before leads nowhere.
      const key = label + document.body.innerText
      driven.clicks[key] = (driven.clicks[key] ?? 0) + 1
      if (driven.clicks[key] > 2) continue
      for (const other of document.querySelectorAll('[data-driven]')) other.removeAttribute('data-driven')
      one.setAttribute('data-driven', '')
      return { name: label, isClick: true }
    }
})()`

interface Step {
  readonly name: string
  readonly isClick?: boolean
}

/** Time that content gets to show its first page. */
const SETTLE_MS = 1000
const LIMIT_MS = 5 * 60_000
/** Time without a step after which the student leaves. Content may still be loading before. */
const EXIT_MS = 2000
/** Time without a step after which content counts as stuck. */
const STUCK_MS = 15_000

/** Uses content like a student until it is over. Returns what was done. Throws if nothing leads on. */
export async function playContent(content: Frame, isOver: () => Promise<boolean>): Promise<readonly string[]> {
  const steps: string[] = []
  await wait(SETTLE_MS)
  const begin = Date.now()
  let last = begin
  while (!(await isOver())) {
    // A document that is being replaced cannot be read; the next one can.
    const done = await takeStep(content, Date.now() - last > EXIT_MS).catch(() => undefined)
    if (done !== undefined) {
      steps.push(done)
      last = Date.now()
    } else if (Date.now() - last > STUCK_MS || Date.now() - begin > LIMIT_MS) {
      const text = await content.evaluate<string>('document.body.innerText').catch(() => 'nothing')
      throw new Error(
        `Nothing leads on after ${steps.join(', ') || 'no step'}. The content shows: ${text.slice(0, 300)}`,
      )
    }
    await wait(200)
  }
  return steps
}

async function takeStep(content: Frame, mayExit: boolean): Promise<string | undefined> {
  for (const frame of [content, ...content.childFrames()]) {
    const done = await frame.evaluate<Step | undefined>(step(mayExit))
    if (done?.isClick) await frame.locator('[data-driven]').click({ timeout: 3000 })
    if (done) return done.name
  }
  return undefined
}
