import { Anchor, Button, Text, VisuallyHidden } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import type { Notification } from '../api/operations.ts'
import { Item, Items } from './items.tsx'
import classes from './notification-items.module.css'
import { notificationWords as say } from './notification-words.ts'
import { Problem } from './states.tsx'
import { Time } from './time.tsx'
import { useMarkRead } from './unread.ts'

/** True for a click that the browser would follow in this tab. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)

interface NotificationItemsProps {
  readonly docs: readonly Notification[]
  readonly onFollow?: () => void
}

/** A list of notifications. Following one marks it as read. */
export function NotificationItems({ docs, onFollow }: NotificationItemsProps) {
  const router = useRouter()
  const mark = useMarkRead()
  const follow = (event: MouseEvent, { notificationId, link, readDate }: Notification) => {
    if (readDate === null) mark.mutate({ notificationIds: [notificationId] })
    if (!isPlain(event)) return
    event.preventDefault()
    onFollow?.()
    router.history.push(link)
  }
  return (
    <Items label={say.list}>
      {docs.map((one) => (
        <Item
          key={one.notificationId}
          lead={<span className={classes.dot} data-unread={one.readDate === null || undefined} />}
          title={
            <Anchor
              href={one.link}
              inherit
              display="block"
              c="inherit"
              fw={one.readDate === null ? 650 : 450}
              onClick={(event) => follow(event, one)}
              onAuxClick={(event) => event.button === 1 && follow(event, one)}
            >
              {one.readDate === null && <VisuallyHidden>{say.unread}: </VisuallyHidden>}
              {one.title}
            </Anchor>
          }
          sub={
            <>
              <Text size="sm" lineClamp={2} className={classes.text}>
                {one.text}
              </Text>
              <Time at={one.createdDate} />
            </>
          }
        />
      ))}
    </Items>
  )
}

/** A button that marks all notifications up to the newest one shown as read. */
export function ReadAll({ docs, unread }: { readonly docs: readonly Notification[]; readonly unread: number }) {
  const mark = useMarkRead()
  const newest = docs[0]
  if (newest === undefined || (unread === 0 && !mark.error)) return null
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={mark.isPending}
        onClick={() => mark.mutate({ upTo: newest.notificationId })}
      >
        {say.readAll}
      </Button>
      {mark.error && <Problem title={say.readFailed} error={mark.error} />}
    </>
  )
}
