import { type Controls, isUnit, type Mark, type Request } from './runtime.ts'
import type { SavingState } from './saving.ts'
import { type Item, type Session, titleOf } from './session.ts'
import { words } from './words.ts'

/** Lets content do what lessons need, except navigate the page around it. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms allow-popups allow-downloads allow-modals'

type Attributes = Readonly<Record<string, string | boolean | (() => void)>>

/** Makes an element. Attributes that are functions listen to events. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (typeof value === 'function') element.addEventListener(key, value)
    else if (value === true) element.setAttribute(key, '')
    else if (value !== false) element.setAttribute(key, value)
  element.append(...children)
  return element
}

const SIGNS: Readonly<Record<Mark, string>> = { new: '○', open: '◐', completed: '●', passed: '✓', failed: '✕' }

/** The page around the content: a bar, the contents of the package, and the frame. */
export class Page {
  readonly frame: HTMLIFrameElement
  readonly #onRequest: (request: Request) => void
  readonly #bar = make('header')
  readonly #title = make('h1')
  readonly #saved = make('span', { class: 'saved', role: 'status' })
  readonly #notices = make('div', { class: 'notices' })
  readonly #contents = make('nav', { 'aria-label': words.contents })
  readonly #toggle: HTMLButtonElement
  readonly #panel = make('section', { class: 'panel', hidden: true })
  readonly #buttons: Readonly<Record<'previous' | 'continue' | 'finish' | 'exit', HTMLButtonElement>>
  /** The texts of the messages below the bar. */
  readonly #shown = new Map<string, string>()
  #items: readonly Item[] = []

  constructor(onRequest: (request: Request) => void) {
    this.#onRequest = onRequest
    this.frame = make('iframe', { sandbox: SANDBOX, allow: 'fullscreen; autoplay', title: words.opening })
    const button = (text: string, request: Request, more: Attributes = {}) =>
      make('button', { type: 'button', hidden: true, ...more, click: () => onRequest(request) }, text)
    this.#buttons = {
      previous: button(words.previous, 'previous'),
      continue: button(words.continue, 'continue', { class: 'primary' }),
      finish: button(words.finish, 'exitAll', { title: words.finishHelp }),
      exit: button(words.exit, 'suspendAll'),
    }
    this.#toggle = make(
      'button',
      { type: 'button', hidden: true, 'aria-expanded': 'false', click: () => this.#setOpen(!this.#isOpen) },
      words.contents,
    )
    this.#contents.hidden = true
    this.#contents.id = 'contents'
    this.#toggle.setAttribute('aria-controls', 'contents')
    this.#bar.append(this.#toggle, this.#title, this.#saved, ...Object.values(this.#buttons))
    const main = make('main', {}, this.frame, this.#panel)
    document.body.replaceChildren(this.#bar, this.#notices, make('div', { class: 'stage' }, this.#contents, main))
  }

  /** Shows the package. The contents are open where there is room for them beside the content. */
  begin({ title, items, mode }: Session): void {
    document.title = title
    this.#title.textContent = title
    this.#title.title = title
    this.#items = items
    this.#toggle.hidden = items.filter(isUnit).length < 2
    this.#setOpen(!this.#toggle.hidden && matchMedia('(min-width: 60em)').matches)
    if (mode !== 'normal') this.#saved.textContent = words.preview
  }

  get #isOpen(): boolean {
    return !this.#contents.hidden
  }

  #setOpen(isOpen: boolean): void {
    this.#contents.hidden = !isOpen
    this.#toggle.setAttribute('aria-expanded', String(isOpen))
  }

  /** Shows what the student can do now. */
  offer(controls: Controls, current: Item | undefined): void {
    const { previous, continue: next, finish, exit } = this.#buttons
    previous.hidden = !controls.hasPrevious
    previous.disabled = !controls.canPrevious
    next.hidden = !controls.hasContinue
    next.disabled = !controls.canContinue
    finish.hidden = !controls.hasFinish
    exit.hidden = !controls.hasExit
    // A press must not lose the focus.
    const focused = this.#contents.contains(document.activeElement) ? document.activeElement?.id : undefined
    this.#contents.replaceChildren(this.#listOf(null, controls, current))
    if (focused) document.getElementById(focused)?.focus()
  }

  #listOf(parent: number | null, controls: Controls, current: Item | undefined): HTMLElement {
    const list = make('ul')
    for (const item of this.#items.filter((one) => one.parent === parent)) {
      const title = titleOf(item)
      if (item.item.isVisible === false) {
        // Items below a hidden item are shown (SCORM 2004 CAM 3.4.1.8).
        list.append(...this.#listOf(item.position, controls, current).children)
        continue
      }
      if (item.kind === 'block') {
        list.append(
          make('li', {}, make('span', { class: 'block' }, title), this.#listOf(item.position, controls, current)),
        )
        continue
      }
      const mark = controls.markOf(item)
      const sign = make('span', { class: `mark ${mark}`, 'aria-hidden': 'true' }, SIGNS[mark])
      const spoken = make('span', { class: 'spoken' }, `(${words.marks[mark]})`)
      const choose = () => {
        if (matchMedia('(max-width: 60em)').matches) this.#setOpen(false)
        this.#onRequest({ choice: item })
      }
      const button = make('button', { type: 'button', id: `item-${item.position}`, click: choose }, sign, title, spoken)
      if (item === current) button.setAttribute('aria-current', 'page')
      button.disabled = item === current ? false : !controls.canChoose(item)
      list.append(make('li', {}, button))
    }
    return list
  }

  /** Shows the frame for the content of an item. */
  showItem(item: Item): void {
    this.frame.title = titleOf(item)
    this.#panel.hidden = true
    this.frame.hidden = false
  }

  /** Shows a text in place of the content, with what can be done. */
  showPanel(heading: string, text: string, ...actions: readonly Action[]): void {
    this.frame.hidden = true
    this.#panel.hidden = false
    const elements = actions.map(({ label, onPress, href, isPrimary = false }) =>
      href === undefined
        ? make('button', { type: 'button', class: isPrimary ? 'primary' : '', click: () => onPress?.() }, label)
        : make('a', { class: isPrimary ? 'button primary' : 'button', href }, label),
    )
    const title = make('h2', { tabindex: '-1' }, heading)
    this.#panel.replaceChildren(title, make('p', {}, text), make('p', { class: 'actions' }, ...elements))
    title.focus()
  }

  showSaving(state: SavingState): void {
    if (state.kind === 'saved') {
      this.#saved.textContent = words.saved(state.at)
      this.#hide('waiting')
      if (state.isAll) this.#hide('refused')
    } else if (state.kind === 'waiting') {
      this.#saved.textContent = state.reason === undefined ? words.offline : words.notSaved
      if (state.reason !== undefined) this.notify('waiting', words.refused(state.reason))
    } else if (state.kind === 'refused') {
      this.#saved.textContent = words.unsaved
      this.#hide('waiting')
      this.notify('refused', words.dropped(state.reason))
    } else if (state.kind === 'stopped') {
      this.#saved.textContent = ''
      this.notify('stopped', words.stopped(state.reason))
    }
  }

  /** Shows a message below the bar, once. A new text of it replaces the old one. */
  notify(key: string, text: string): void {
    if (this.#shown.get(key) === text) return
    this.#hide(key)
    this.#shown.set(key, text)
    const close = make('button', { type: 'button', click: () => this.#hide(key) }, words.close)
    this.#notices.append(make('div', { role: 'alert', id: `notice-${key}` }, make('span', {}, text), close))
  }

  #hide(key: string): void {
    if (this.#shown.delete(key)) document.getElementById(`notice-${key}`)?.remove()
  }
}

export interface Action {
  readonly label: string
  readonly onPress?: () => void
  readonly href?: string
  readonly isPrimary?: boolean
}
