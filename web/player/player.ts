import type { Page } from './page.ts'
import { isAsset, type Listener, type Next, type Request, type Runtime } from './runtime.ts'
import { Saving } from './saving.ts'
import { type Item, type OpenSession, type Session, titleOf } from './session.ts'
import { words } from './words.ts'

/** Changes that must not be lost are saved within a second, all others within half a minute. */
const URGENT_MS = 800
const CALM_MS = 30_000
const UNLOAD_MS = 2000

/** Shows the items of a package one after the other, and saves what they report. */
export class Player implements Listener {
  readonly #page: Page
  readonly #session: Session
  readonly #runtime: Runtime
  readonly #saving: Saving
  #timer: number | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #isDirty = false
  #isHidden = false
  /** True after the page was closed, until its content is. */
  #isClosing = false
  /** True while one item replaces another. */
  #isMoving = false
  /** The item whose end was saved. */
  #ended: Item | undefined
  /** Why the platform refused data last, and what the student knew of it when the last move began. */
  #refusal: string | undefined
  #knownRefusal: string | undefined

  constructor(page: Page, open: OpenSession, runtimeFor: (listener: Listener) => Runtime) {
    this.#page = page
    this.#session = open.session
    this.#runtime = runtimeFor(this)
    this.#saving = new Saving(open, (state) => {
      page.showSaving(state)
      if (state.kind === 'refused') this.#refusal = state.reason
    })
    page.begin(open.session)
    page.frame.addEventListener('load', () => this.#onLoad())
    addEventListener('pagehide', () => this.#close())
    // A page that comes back from the browser's cache has lost its session.
    addEventListener('pageshow', ({ persisted }) => (persisted ? location.reload() : this.#setHidden()))
    document.addEventListener('visibilitychange', () => this.#isClosing || this.#setHidden())
  }

  #setHidden(): void {
    this.#isClosing = false
    this.#isHidden = document.visibilityState === 'hidden'
    if (this.#isHidden) this.#saveNow()
  }

  /** The page is closed, and after it the content, which may end its item then. */
  #close(): void {
    this.#isHidden = true
    this.#isClosing = true
    this.#saveNow()
    const content = hrefOf(this.#page.frame) === undefined ? null : this.#page.frame.contentWindow
    const finish = () => {
      this.#isClosing = false
      this.#end()
    }
    // Some browsers no longer have `unload`.
    const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } }
    if (content)
      content.addEventListener(featurePolicy?.allowsFeature('unload') === false ? 'pagehide' : 'unload', finish)
    else finish()
  }

  /** Ends the session with the page. An item that its content has not ended goes on there the next time. */
  #end(): void {
    const { current } = this.#runtime
    this.#runtime.request('suspendAll')
    this.#runtime.proceed()
    if (current && this.#ended !== current) this.#isDirty = true
    this.#saveNow()
    const report = this.#runtime.report()
    if (report && !report.ended) this.#saving.end(report)
    this.#saving.flush(true)
  }

  begin(): void {
    const next = this.#runtime.begin()
    if (next.kind === 'open' && next.item.position !== this.#session.item)
      this.#page.notify('order', words.order(titleOf(next.item)))
    this.#follow(next)
  }

  /** Does what the student wants: takes the content away, so that it ends its item, and goes on. */
  async go(request: Request): Promise<void> {
    if (this.#isMoving) return
    this.#startMoving()
    this.#runtime.request(request)
    await this.#takeAway()
    this.#advance()
  }

  onInitialize(): void {
    this.#watchWindows()
    this.#isDirty = true
    this.#saveNow()
  }

  onChange(isUrgent: boolean): void {
    this.#isDirty = true
    const dueAt = Date.now() + (isUrgent ? URGENT_MS : CALM_MS)
    if (this.#isHidden) this.#saveNow()
    else if (dueAt < this.#dueAt) {
      clearTimeout(this.#timer)
      this.#dueAt = dueAt
      this.#timer = setTimeout(() => this.#saveNow(), dueAt - Date.now())
    }
  }

  onCommit(): void {
    this.#saveNow()
  }

  onFinish(): void {
    this.#ended = this.#runtime.current
    this.#isDirty = true
    this.#saveNow()
    // The content is still in the call that has ended its item.
    if (!this.#isMoving) {
      this.#startMoving()
      setTimeout(() => this.#advance())
    }
  }

  #startMoving(): void {
    this.#isMoving = true
    this.#knownRefusal = this.#refusal
  }

  #saveNow(): void {
    clearTimeout(this.#timer)
    this.#dueAt = Number.POSITIVE_INFINITY
    if (this.#isDirty) {
      const report = this.#runtime.report()
      if (report) this.#saving.save(report)
      this.#isDirty = false
      this.#offer()
    }
    if (this.#isHidden) this.#saving.flush(!this.#isClosing)
  }

  #offer(): void {
    this.#page.offer(this.#runtime.controls(), this.#runtime.current)
  }

  /** Ends the item that was open, and follows what its version of SCORM says. */
  #advance(): void {
    const { current } = this.#runtime
    const next = this.#runtime.proceed()
    if (current && this.#ended !== current) {
      this.#isDirty = true
      this.#saveNow()
    }
    void this.#follow(next)
  }

  async #follow(next: Next): Promise<void> {
    if (next.kind === 'open') await this.#open(next.item)
    else if (next.kind === 'choose') await this.#choose()
    else await this.#leave()
    this.#isMoving = false
  }

  async #open(item: Item): Promise<void> {
    await this.#takeAway()
    this.#ended = undefined
    this.#runtime.open(item)
    this.#page.showItem(item)
    this.#offer()
    this.#page.frame.contentWindow!.location.replace(urlOf(item))
    if (!isAsset(item)) return
    this.#isDirty = true
    this.#saveNow()
  }

  async #choose(): Promise<void> {
    await this.#takeAway()
    const { current } = this.#runtime
    const { canContinue } = this.#runtime.controls()
    this.#offer()
    const go = { label: words.continue, isPrimary: true, onPress: () => void this.go('continue') }
    const exit = { label: words.exit, isPrimary: !canContinue, onPress: () => void this.go('suspendAll') }
    const actions = canContinue ? [go, exit] : [exit]
    if (current) this.#page.showPanel(words.done(titleOf(current)), words.choose, ...actions)
    else this.#page.showPanel(this.#session.title, words.chooseFirst, ...actions)
  }

  /** Ends the session, and leads back as soon as everything is saved. */
  async #leave(): Promise<void> {
    await this.#takeAway()
    const report = this.#runtime.report()
    if (report && !report.ended) this.#saving.end(report)
    const back = { label: words.leave, href: this.#session.returnUrl }
    const timer = setTimeout(() => this.#page.showPanel(words.leaving, words.keepOpen, back), 1000)
    await this.#saving.settled()
    clearTimeout(timer)
    // The student reads why the last data were refused before the page goes away.
    if (this.#refusal !== undefined && this.#refusal !== this.#knownRefusal)
      return this.#page.showPanel(this.#session.title, words.dropped(this.#refusal), back)
    location.replace(this.#session.returnUrl)
  }

  /** Takes the content away. Its handlers for that run before this resolves. */
  #takeAway(): Promise<void> {
    const { frame } = this.#page
    const content = frame.contentWindow
    if (!content || hrefOf(frame) === 'about:blank') return Promise.resolve()
    return new Promise((resolve) => {
      frame.addEventListener('load', () => resolve(), { once: true })
      setTimeout(resolve, UNLOAD_MS)
      content.location.replace('about:blank')
    })
  }

  /** Says what is wrong if the page of an item could not be loaded. An error of the platform cannot be framed. */
  async #onLoad(): Promise<void> {
    const { frame } = this.#page
    const href = hrefOf(frame)
    if (href === 'about:blank') return
    this.#watchWindows()
    frame.focus()
    const url = this.#runtime.current && urlOf(this.#runtime.current)
    if (href !== undefined || !url?.startsWith(location.origin)) return
    const { status } = await fetch(url, { method: 'HEAD' }).catch(() => ({ status: 0 }))
    if (status < 400) return
    const path = decodeURIComponent(new URL(url).pathname.split('/').slice(3).join('/'))
    const text = status === 404 ? words.missing(path) : words.broken(status)
    this.#page.showPanel(words.failed, text, { label: words.back, href: this.#session.returnUrl, isPrimary: true })
  }

  /** Tells the student when the browser stops a window of the content. */
  #watchWindows(): void {
    const content = this.#page.frame.contentWindow as (Window & { isWatched?: boolean }) | null
    if (hrefOf(this.#page.frame) === undefined || !content || content.isWatched) return
    content.isWatched = true
    const open = content.open
    content.open = (...what) => {
      const opened = open.apply(content, what)
      if (!opened) this.#page.notify('blocked', words.blocked)
      return opened
    }
  }
}

/** Returns where an item starts. The token of the files is also that of the player's own address: /player/TOKEN/. */
const urlOf = ({ item }: Item): string =>
  new URL(item.url ?? '', `${location.origin}/p/${location.pathname.split('/')[2]}/`).href

/** Returns the address of the content; undefined if it is on another origin. */
function hrefOf({ contentWindow }: HTMLIFrameElement): string | undefined {
  try {
    return contentWindow?.location.href
  } catch {
    return undefined
  }
}
