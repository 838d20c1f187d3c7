import type { PackageLaunch } from '../../api/operations.ts'

/** The content opens in a frame or a window, or the person follows a link. */
export type OpenContent =
  | { readonly kind: 'frame'; readonly url: string }
  | { readonly kind: 'window' }
  /** The browser stopped the new window. */
  | { readonly kind: 'link'; readonly url: string }
  /** Content of an installed app, whose URL is not one of the web. */
  | { readonly kind: 'app'; readonly url: string }

type LaunchMethod = PackageLaunch['launchMethod'] | null

/** Opens an empty window for the content. Browsers allow that only during the click, before the launch is answered. */
export const prepareWindow = (method: LaunchMethod): Window | null =>
  method === 'OwnWindow' ? window.open('', '_blank') : null

/** Shows content in the prepared window, or says how else it is opened. */
export function showContent({ url, launchMethod }: PackageLaunch, prepared: Window | null): OpenContent {
  const isWeb = /^https?:/i.test(url)
  if (!isWeb || launchMethod !== 'OwnWindow') {
    prepared?.close()
    return { kind: isWeb ? 'frame' : 'app', url }
  }
  if (prepared === null) return { kind: 'link', url }
  // The content must not reach this page.
  prepared.opener = null
  prepared.location.replace(url)
  return { kind: 'window' }
}
