import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listNotifications } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Bell } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { NotificationItems, ReadAll } from '../../parts/notification-items.tsx'
import { notificationWords } from '../../parts/notification-words.ts'
import { PanelBox } from '../../parts/panel-box.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { appWords } from '../words.ts'
import classes from './bell.module.css'

const { bell: say } = appWords

interface BellPanelProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Called when the person leaves for another page. */
  readonly onFollow: () => void
}

/** The newest notifications. Loaded when the bell is first used. */
export const BellPanel = ({ isOpen, onClose, onFollow }: BellPanelProps) => (
  <PanelBox isOpen={isOpen} title={say.title} onClose={onClose}>
    {isOpen && <Newest onFollow={onFollow} />}
  </PanelBox>
)

function Newest({ onFollow }: { readonly onFollow: () => void }) {
  const list = useQuery(query(listNotifications, { limit: 20 }))
  return (
    <Loaded query={list}>
      {({ docs, unread }) => (
        <>
          <Group justify="space-between" mb="sm">
            <TextLink to="/account/notifications" size="sm" onClick={onFollow}>
              {say.all}
            </TextLink>
            <ReadAll docs={docs} unread={unread} />
          </Group>
          {docs.length === 0 ? (
            <Empty icon={Bell} title={notificationWords.empty}>
              {notificationWords.emptyText}
            </Empty>
          ) : (
            <div className={classes.list}>
              <NotificationItems docs={docs} onFollow={onFollow} />
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}
