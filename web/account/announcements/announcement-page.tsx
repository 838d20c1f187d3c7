import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Announcement } from '../../api/operations.ts'
import { announcementWords as say } from '../../parts/announcement-words.ts'
import { Card } from '../../parts/card.tsx'
import { DeleteAnnouncement } from '../../parts/delete-announcement.tsx'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

const route = getRouteApi('/signed-in/account/announcements/$announcementId')

/** Shows one announcement as a whole. Notifications and e-mail lead here. */
export function AnnouncementPage() {
  const found = useQuery(route.useLoaderData().announcement)
  return <Loaded query={found}>{(announcement) => <Content announcement={announcement} />}</Loaded>
}

function Content({ announcement }: { readonly announcement: Announcement }) {
  const { title, text, authorName, classId, className, organisationName, createdDate, mayDelete } = announcement
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead
        title={title}
        lead={
          <>
            {className ?? organisationName} · {authorName ?? say.someone} · <Time at={createdDate} />
          </>
        }
        action={
          mayDelete && (
            <DeleteAnnouncement
              announcement={announcement}
              onDone={() => void navigate({ to: '/account/notifications' })}
            />
          )
        }
      />
      <Card>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
        {classId !== null && className !== null && (
          <Text mt="md" size="sm">
            <TextLink to="/dashboard/classes/$classId" params={{ classId }}>
              {say.openClass(className)}
            </TextLink>
          </Text>
        )}
      </Card>
    </>
  )
}
