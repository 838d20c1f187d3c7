import './player.css'
import { Page } from './page.ts'
import { Player } from './player.ts'
import { CannotOpen, openSession } from './session.ts'
import { words } from './words.ts'

declare global {
  interface Window {
    /** Content finds the API of SCORM 1.2 and of SCORM 2004 under these names. */
    API?: unknown
    API_1484_11?: unknown
  }
}

const parameters = new URLSearchParams(location.search)
let player: Player | undefined
const page = new Page((request) => void player?.go(request))

async function start(): Promise<void> {
  // The rules of a version are loaded while the session is opened.
  const loading = parameters.get('standard') === 'scorm2004' ? import('./scorm2004.ts') : import('./scorm12.ts')
  const open = await openSession(parameters)
  const runtime = await loading
  player = new Player(page, open, (listener) =>
    'Scorm2004' in runtime
      ? new runtime.Scorm2004(open.session, listener)
      : new runtime.Scorm12(open.session, listener),
  )
  player.begin()
}

start().catch((problem: Error) => {
  page.showPanel(words.failed, problem instanceof CannotOpen ? problem.message : `${problem.message}. Open it again.`)
})
