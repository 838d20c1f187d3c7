import { read, text, textArray, write } from '../database/statement.ts'

export const keepFact = write('installation.keep', {
  params: { name: text, value: text },
  row: { value: text },
  text: `
    insert into installation as i (name, value) values (:name, :value)
    on conflict (name) do update set value = i.value
    returning value`,
})

export const keepFacts = write('installation.keepMany', {
  params: { names: textArray, value: text },
  row: { name: text },
  text: `
    insert into installation (name, value) select unnest(:names), :value
    on conflict (name) do nothing returning name`,
})

export const findFact = read('installation.findOne', {
  params: { name: text },
  row: { value: text },
  gather: false,
  text: `select value from installation where name = :name`,
})

export const findFacts = read('installation.find', {
  params: { names: textArray },
  row: { name: text },
  gather: false,
  text: `select name from installation where name = any(:names)`,
})

export const dropFact = write('installation.drop', {
  params: { name: text },
  row: { name: text },
  text: `delete from installation where name = :name returning name`,
})
