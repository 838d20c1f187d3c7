import { Avatar } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { readAccountCover, readAccountPicture } from '../api/operations.ts'

// Pictures stay at their addresses when they change, and a page shows again what it has: it asks for another turn.
let turn = 0
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** One's own picture or cover is another one from now on. */
export function renewPictures(): void {
  turn++
  for (const listener of listeners) listener()
}

/** Where one's own picture or cover is, as it is now. */
export function useOwnPicture(kind: 'picture' | 'cover', size: number): string {
  const now = useSyncExternalStore(subscribe, () => turn)
  const address = kind === 'picture' ? readAccountPicture({ size }) : readAccountCover({ size })
  return now === 0 ? address : `${address}&turn=${now}`
}

export const OwnAvatar = ({ size }: { readonly size: number }) => (
  <Avatar src={useOwnPicture('picture', size > 32 ? 256 : 64)} size={size} radius="xl" alt="" />
)
