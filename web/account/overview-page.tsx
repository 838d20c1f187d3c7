import { Box, Group, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { listChildren, type Settings } from '../api/operations.ts'
import { query } from '../api/query.ts'
import {
  Download,
  type IconType,
  Mail,
  MonitorSmartphone,
  ShieldCheck,
  UserRound,
  Users,
  UsersRound,
} from '../parts/icons.tsx'
import { OwnAvatar } from '../parts/own-avatar.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { nameOf } from '../parts/person.tsx'
import { Loaded } from '../parts/states.tsx'
import classes from './overview-page.module.css'
import { accountWords } from './words.ts'

const route = getRouteApi('/signed-in/account')
const { overview: say } = accountWords

/** Links to all parts of the account and shows the state of each. */
export function OverviewPage() {
  const settings = useQuery(route.useLoaderData().settings)
  return <Loaded query={settings}>{(person) => <Overview person={person} />}</Loaded>
}

function Overview({ person }: { readonly person: Settings }) {
  const { lookAfterChildren } = person.may
  const loaded = route.useLoaderData()
  const apps = useQuery(loaded.apps).data
  const browsers = useQuery(loaded.browsers).data
  const passkeys = useQuery(loaded.passkeys).data
  const friends = useQuery(loaded.friends).data
  const invitations = useQuery(loaded.invitations).data
  const children = useQuery({ ...query(listChildren, {}), enabled: lookAfterChildren }).data
  const childRequests = children?.reduce((sum, { friendRequests }) => sum + friendRequests, 0) ?? 0
  return (
    <>
      <Group gap="md" wrap="nowrap" mb="lg" align="flex-start">
        <OwnAvatar size={64} />
        <Box flex={1} miw={0}>
          <PageHead title={nameOf(person)} lead={say.lead(person.handle)} />
        </Box>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Part
          to="/account/profile"
          icon={UserRound}
          title={say.profile}
          text={say.profileText}
          facts={[person.publicSearch ? say.found : say.notFound]}
        />
        <Part
          to="/account/security"
          icon={ShieldCheck}
          title={say.security}
          text={say.securityText}
          facts={[
            passkeys && say.passkeys(passkeys.length),
            browsers && say.browsers(browsers.length),
            apps && say.apps(apps.length),
          ]}
        />
        <Part
          to="/account/friends"
          icon={Users}
          title={say.friends}
          text={say.friendsText}
          facts={[friends && say.friendsCount(friends.friends.length)]}
          todo={friends && friends.received.length > 0 ? say.requests(friends.received.length) : undefined}
        />
        {lookAfterChildren && (
          <Part
            to="/account/children"
            icon={UsersRound}
            title={say.children}
            text={say.childrenText}
            facts={[children && say.childrenCount(children.length)]}
            todo={childRequests > 0 ? say.requests(childRequests) : undefined}
          />
        )}
        <Part
          to="/account/invitations"
          icon={Mail}
          title={say.invitations}
          text={say.invitationsText}
          facts={[]}
          todo={invitations && invitations.length > 0 ? say.invitationsCount(invitations.length) : undefined}
        />
        <Part to="/account/data" icon={Download} title={say.data} text={say.dataText} facts={[]} />
        <a href="/device" className={classes.part}>
          <Inside icon={MonitorSmartphone} title={say.connect} text={say.connectText} facts={[]} />
        </a>
      </SimpleGrid>
    </>
  )
}

interface PartProps {
  readonly icon: IconType
  readonly title: string
  readonly text: string
  readonly facts: readonly (string | undefined)[]
  /** A task for the person, such as a friend request to answer. */
  readonly todo?: string | undefined
}

const Inside = ({ icon: Icon, title, text, facts, todo }: PartProps) => (
  <>
    <Icon size={22} aria-hidden className={classes.icon} />
    <div>
      <Text fw={600} className={classes.title}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      {facts.some(Boolean) && (
        <Text size="sm" mt={6}>
          {facts.filter(Boolean).join(' · ')}
        </Text>
      )}
      {todo && (
        <Text size="sm" mt={6} fw={600} className={classes.todo}>
          {todo}
        </Text>
      )}
    </div>
  </>
)

const Part = ({
  to,
  ...inside
}: PartProps & {
  readonly to: `/account/${'profile' | 'security' | 'friends' | 'children' | 'invitations' | 'data'}`
}) => (
  <Link to={to} className={classes.part}>
    <Inside {...inside} />
  </Link>
)
