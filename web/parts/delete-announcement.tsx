import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Announcement, deleteAnnouncement, listAnnouncements } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { announcementWords as say } from './announcement-words.ts'
import { Confirm } from './confirm.tsx'
import { notify } from './notify.tsx'

interface DeleteAnnouncementProps {
  readonly announcement: Announcement
  readonly onDone?: () => void
}

/** A button that deletes an announcement, after asking. */
export function DeleteAnnouncement({ announcement: { announcementId, title }, onDone }: DeleteAnnouncementProps) {
  const [isAsked, setAsked] = useState(false)
  const remove = useWrite(deleteAnnouncement, {
    changes: [listAnnouncements],
    onDone: () => {
      notify(say.deleted)
      onDone?.()
    },
  })
  return (
    <>
      <Button size="xs" variant="default" aria-label={say.deleteOf(title)} onClick={() => setAsked(true)}>
        {say.delete}
      </Button>
      <Confirm
        isOpen={isAsked}
        title={say.deleteTitle(title)}
        go={say.delete}
        isPending={remove.isPending}
        error={remove.error}
        onGo={() => remove.mutate({ announcementId })}
        onClose={() => setAsked(false)}
      >
        {say.deleteText}
      </Confirm>
    </>
  )
}
