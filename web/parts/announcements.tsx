import { Button, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Announcement, listAnnouncements } from '../api/operations.ts'
import { query } from '../api/query.ts'
import type { AnnouncementTarget } from './announcement-form.tsx'
import { announcementWords as say } from './announcement-words.ts'
import classes from './announcements.module.css'
import { Card } from './card.tsx'
import { DeleteAnnouncement } from './delete-announcement.tsx'
import { Dialog } from './dialog.tsx'
import { Megaphone } from './icons.tsx'
import { Item, Items } from './items.tsx'
import { TextLink } from './link.tsx'
import { onDemand } from './on-demand.ts'
import { Pager } from './pager.tsx'
import { Loaded } from './states.tsx'
import { Time } from './time.tsx'

/** Loaded only when it is opened, because few people announce something. */
const AnnouncementForm = onDemand(async () => (await import('./announcement-form.tsx')).AnnouncementForm)

interface AnnouncementsProps {
  readonly target: AnnouncementTarget
  /** Name of the class or the organisation. */
  readonly name: string
  /** Whether the class is closed, so that nothing can be announced. */
  readonly isClosed?: boolean
}

const PER_PAGE = 3

/** The latest announcements to a class or an organisation. Those who can create one see a button for it. */
export function Announcements({ target, name, isClosed = false }: AnnouncementsProps) {
  const [page, setPage] = useState(1)
  const [isOpen, setOpen] = useState(false)
  const list = useQuery({
    ...query(listAnnouncements, { ...target, page, limit: PER_PAGE }),
    placeholderData: keepPreviousData,
  })
  const close = () => setOpen(false)
  return (
    <Loaded query={list} lines={2}>
      {({ docs, pages, total, recipients }) => {
        const mayCreate = recipients !== null && !isClosed
        if (docs.length === 0 && !mayCreate) return null
        return (
          <Card
            title={say.title}
            isFlush
            action={
              mayCreate && (
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<Megaphone size={16} aria-hidden />}
                  onClick={() => setOpen(true)}
                >
                  {say.create}
                </Button>
              )
            }
          >
            {docs.length === 0 ? (
              <Text size="sm" c="dimmed" className={classes.empty}>
                {say.emptyText}
              </Text>
            ) : (
              <Items label={say.title}>
                {docs.map((one) => (
                  <AnnouncementItem key={one.announcementId} one={one} />
                ))}
              </Items>
            )}
            <Pager page={page} pages={pages} total={total} onChange={setPage} />
            {recipients !== null && (
              <Dialog isOpen={isOpen} onClose={close} title={say.toClass(name)}>
                <AnnouncementForm target={target} recipients={recipients} onClose={close} />
              </Dialog>
            )}
          </Card>
        )
      }}
    </Loaded>
  )
}

const AnnouncementItem = ({ one }: { readonly one: Announcement }) => (
  <Item
    title={
      <TextLink
        to="/account/announcements/$announcementId"
        params={{ announcementId: one.announcementId }}
        inherit
        c="inherit"
      >
        {one.title}
      </TextLink>
    }
    sub={
      <>
        <Text size="sm" lineClamp={2} className={classes.text}>
          {one.text}
        </Text>
        {one.authorName ?? say.someone} · <Time at={one.createdDate} />
      </>
    }
    action={one.mayDelete && <DeleteAnnouncement announcement={one} />}
  />
)
