import { Anchor, Button, Group, SimpleGrid, Stack, Text, Title, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import {
  ArrowRight,
  BadgeCheck,
  BookOpen,
  Code2,
  GraduationCap,
  KeyRound,
  Puzzle,
  ScrollText,
  UserRound,
  Users,
} from 'lucide-react'
import { useEffect } from 'react'
import { type DemoPerson, signInAsDemo } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { AREAS } from '../layout/areas.ts'
import { useHere } from '../layout/here.ts'
import { Problem } from '../parts/states.tsx'
import { words } from '../words/words.ts'
import classes from './front-page.module.css'
import { Horizon } from './horizon.tsx'

const { front } = words
const OFFER_ICONS = [GraduationCap, ScrollText, KeyRound, Puzzle]

/** Where a demo person has something to do. */
const HOMES: Record<DemoPerson['part'], string> = {
  student: '/dashboard',
  instructor: '/dashboard',
  developer: '/console/apps',
  administrator: '/admin/approvals',
}
const PART_ICONS = { student: GraduationCap, instructor: Users, developer: Code2, administrator: BadgeCheck }

export function FrontPage() {
  const here = useHere()
  useEffect(() => {
    document.title = `${words.product}: ${front.title}`
  }, [])
  return (
    <Stack gap={56}>
      <section className={classes.hero}>
        <div className={classes.words}>
          <Title order={1} className={classes.title}>
            {front.title}
          </Title>
          <Text className={classes.lead}>{front.lead}</Text>
          <Group mt="xl" gap="sm">
            {here.person ? (
              <Button component={Link} to="/dashboard" size="md" rightSection={<ArrowRight size={18} aria-hidden />}>
                {front.start}
              </Button>
            ) : (
              <Button component="a" href="/account/signin?next=/" size="md">
                {front.signIn}
              </Button>
            )}
            {!here.person && here.signUp && (
              <Button component="a" href="/account/signup" size="md" variant="default">
                {front.signUp}
              </Button>
            )}
            <Button
              component="a"
              href="/docs"
              size="md"
              variant="default"
              leftSection={<BookOpen size={18} aria-hidden />}
            >
              {front.reference}
            </Button>
          </Group>
        </div>
        <Horizon className={classes.horizon} />
      </section>
      {here.person && <Destinations />}
      {here.demoPeople.length > 0 && <DemoPeople people={here.demoPeople} />}
      <section>
        <Title order={2} mb="md">
          {front.offerTitle}
        </Title>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg">
          {front.offers.map(({ title, text }, i) => {
            const Icon = OFFER_ICONS[i]!
            return (
              <div key={title}>
                <Icon size={22} aria-hidden className={classes.icon} />
                <Title order={3} mt="xs">
                  {title}
                </Title>
                <Text size="sm" c="dimmed" mt={4}>
                  {text}
                </Text>
              </div>
            )
          })}
        </SimpleGrid>
      </section>
      <footer className={classes.foot}>
        <Text size="sm" c="dimmed">
          {words.tagline}
        </Text>
        <Group gap="md">
          <Anchor href="/docs" size="sm">
            {words.navigation.reference}
          </Anchor>
          <Anchor href="/readyz" size="sm">
            {front.health}
          </Anchor>
        </Group>
      </footer>
    </Stack>
  )
}

/** Everybody knows their passwords, so one click is enough. The page is loaded anew: whatever was kept of somebody else is gone. */
function DemoPeople({ people }: { readonly people: readonly DemoPerson[] }) {
  const enter = useWrite(signInAsDemo)
  return (
    <section>
      <Title order={2}>{front.demoTitle}</Title>
      <Text c="dimmed" mt={4} mb="md">
        {front.demoText}
      </Text>
      {enter.error && <Problem error={enter.error} />}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
        {people.map(({ handle, name, part }) => {
          const Icon = PART_ICONS[part]
          return (
            <UnstyledButton
              key={handle}
              className={classes.tile}
              disabled={enter.isPending}
              onClick={() => enter.mutate({ handle }, { onSuccess: () => location.assign(HOMES[part]) })}
            >
              <Icon size={22} aria-hidden className={classes.icon} />
              <span>
                <VisuallyHidden>{front.signInAs}</VisuallyHidden>
                <Text component="span" fw={600} display="block">
                  {name || handle}
                </Text>
                <Text component="span" size="sm" c="dimmed" display="block">
                  {front.parts[part].title}. {front.parts[part].text}
                </Text>
              </span>
            </UnstyledButton>
          )
        })}
      </SimpleGrid>
    </section>
  )
}

function Destinations() {
  const { person } = useHere()
  const own = AREAS.filter(({ id }) => person?.areas.some((area) => area === id))
  return (
    <section>
      <Title order={2} mb="md">
        {front.whereTitle}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
        {own.map(({ id, label, icon: Icon, pages }) => (
          <Link key={id} to={pages[0].to} className={classes.tile}>
            <Icon size={22} aria-hidden className={classes.icon} />
            <span>
              <Text component="span" fw={600} display="block">
                {label}
              </Text>
              <Text component="span" size="sm" c="dimmed" display="block">
                {front.where[id]}
              </Text>
            </span>
          </Link>
        ))}
        <Link to="/account" className={classes.tile}>
          <UserRound size={22} aria-hidden className={classes.icon} />
          <span>
            <Text component="span" fw={600} display="block">
              {words.person.account}
            </Text>
            <Text component="span" size="sm" c="dimmed" display="block">
              {front.where.account}
            </Text>
          </span>
        </Link>
      </SimpleGrid>
    </section>
  )
}
