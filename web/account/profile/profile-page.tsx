import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { changeSettings, readHere, readSettings, type Settings } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { nameOf } from '../../parts/person.tsx'
import { SavedBox } from '../../parts/saved-box.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { accountWords } from '../words.ts'
import { countryChoices, countryName } from './countries.ts'
import { PictureCard } from './picture-card.tsx'
import { SkillsCard } from './skills-card.tsx'

const route = getRouteApi('/signed-in/account/profile')
const { profile: say, fields } = accountWords
const { form: sayForm } = words
const LINE = 100

/** Shows the person's own profile, for editing. */
export function ProfilePage() {
  const settings = useQuery(route.useLoaderData().settings)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={settings}>
        {(person) => (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <PictureCard kind="picture" isOwn={person.hasPicture} />
              <PictureCard kind="cover" isOwn={person.hasCover} />
            </SimpleGrid>
            <About person={person} />
            <SkillsCard />
            <Search person={person} />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

interface SettingsProps {
  readonly person: Settings
}

const valuesOf = ({ firstName, lastName, country, gender, position }: Settings) => ({
  firstName,
  lastName,
  country,
  gender,
  position,
})

function About({ person }: SettingsProps) {
  const { changeNames } = person.may
  const form = useForm({ initialValues: valuesOf(person) })
  const save = useWrite(changeSettings, {
    // Reload `readHere` too, because the header shows the name.
    changes: [readSettings, readHere],
    onDone: (saved) => {
      form.setValues(valuesOf(saved))
      form.resetDirty(valuesOf(saved))
      notify(say.saved)
    },
  })
  const isDirty = form.isDirty()
  useUnsaved(() => form.isDirty())
  return (
    <Card title={say.about}>
      <form
        noValidate
        onSubmit={form.onSubmit(({ gender, position, ...decided }) =>
          save.mutate({ gender, position, ...(changeNames && decided) }),
        )}
      >
        <Stack>
          {save.error && <Problem title={say.saveFailed} error={save.error} />}
          {!changeNames && (
            <>
              <Facts>
                <Fact name={say.name}>{nameOf(person)}</Fact>
                <Fact name={fields.country}>{countryName(person.country) || fields.notSaid}</Fact>
              </Facts>
              <Text size="sm" c="dimmed">
                {say.parentDecides}
              </Text>
            </>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {changeNames && (
              <>
                <TextInput
                  label={fields.firstName}
                  autoComplete="given-name"
                  maxLength={LINE}
                  {...form.getInputProps('firstName')}
                />
                <TextInput
                  label={fields.lastName}
                  autoComplete="family-name"
                  maxLength={LINE}
                  {...form.getInputProps('lastName')}
                />
              </>
            )}
            <TextInput
              label={say.position}
              description={say.positionHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autoComplete="organization-title"
              maxLength={LINE}
              {...form.getInputProps('position')}
            />
            <TextInput
              label={say.gender}
              description={say.genderHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autoComplete="sex"
              maxLength={LINE}
              {...form.getInputProps('gender')}
            />
            {changeNames && (
              <NativeSelect
                label={fields.country}
                autoComplete="country"
                data={countryChoices(person.country, fields.notSaid)}
                {...form.getInputProps('country')}
              />
            )}
          </SimpleGrid>
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!isDirty}>
              {sayForm.save}
            </Button>
            {isDirty && (
              <Button variant="default" onClick={form.reset}>
                {sayForm.cancel}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

/**
 * Lets the person turn public search on and off. The checkbox is saved immediately, because it can be undone in the
 * same place.
 */
function Search({ person: { publicSearch, may } }: SettingsProps) {
  const set = useWrite(changeSettings, {
    changes: [readSettings],
    onDone: ({ publicSearch }) => notify(publicSearch ? say.searchOn : say.searchOff),
  })
  return (
    <Card title={say.search}>
      <Stack>
        {set.error && <Problem title={say.searchFailed} error={set.error} />}
        <Text size="sm">{say.searchText}</Text>
        {may.changePublicSearch ? (
          <SavedBox
            label={say.searchBox}
            isOn={publicSearch}
            isDisabled={set.isPending}
            save={(value, onSettled) => set.mutate({ publicSearch: value }, { onSettled })}
          />
        ) : (
          <Text size="sm">{say.searchParent(publicSearch)}</Text>
        )}
      </Stack>
    </Card>
  )
}
