import { UnstyledButton } from '@mantine/core'
import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { followNotifications, listNotifications } from '../../api/operations.ts'
import { queryClient } from '../../api/query.ts'
import { Bell } from '../../parts/icons.tsx'
import { sayUnread } from '../../parts/notification-words.ts'
import { useOnDemand } from '../../parts/on-demand.ts'
import { setUnread, useUnread } from '../../parts/unread.ts'
import { appWords } from '../words.ts'
import classes from './bell.module.css'
import menu from './menu.module.css'

const load = () => import('./bell-panel.tsx')

const update = ({ unread }: { readonly unread: number }): void => {
  setUnread(unread)
  void queryClient.invalidateQueries({ queryKey: [listNotifications.operationName] })
}

/** The bell in the header, with the number of unread notifications. It opens a panel with the newest ones. */
export function BellButton() {
  const [isOpen, setOpen] = useState(false)
  const [isLive, setLive] = useState(true)
  const unread = useUnread(isLive)
  const panel = useOnDemand(isOpen, load)
  const button = useRef<HTMLButtonElement>(null)
  // Hidden tabs are not connected, because browsers allow six connections to a site over HTTP/1.1.
  const isVisible = useDocumentVisibility() === 'visible'
  useEffect(() => {
    if (isVisible) return followNotifications({}, { ready: update, change: update }, setLive)
  }, [isVisible])
  return (
    <>
      <UnstyledButton
        ref={button}
        className={`${menu.button} ${classes.bell}`}
        aria-label={appWords.bell.name(unread)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={load}
        onFocus={load}
        onClick={() => setOpen(true)}
      >
        <Bell size={18} aria-hidden />
        {unread > 0 && (
          <span className={classes.count} aria-hidden>
            {sayUnread(unread)}
          </span>
        )}
      </UnstyledButton>
      {panel && (
        <panel.BellPanel
          isOpen={isOpen}
          onClose={() => {
            setOpen(false)
            button.current?.focus()
          }}
          onFollow={() => setOpen(false)}
        />
      )}
    </>
  )
}
